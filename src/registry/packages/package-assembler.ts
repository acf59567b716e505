import { type Fault } from '../../core/errors/app-error.js';
import { type FormatLimits } from '../../formats/sources/format-limits.js';
import {
  type ComponentDefinition,
  type ConnectionDefinition,
  type ModelContent,
  type ModelDefinition,
  type RelationshipDefinition,
} from '../../formats/definitions/definitions.js';
import { definitionDigest, relationshipIdentity } from '../../formats/definitions/definition-digest.js';
import { readComponent } from './component-definition-reader.js';
import { readConnectionDefinition } from './connection-definition-reader.js';
import { type DefinitionEntity, type RawDefinition } from './raw-definition.js';
import { ModelIndex } from './model-index.js';
import { readEmbeddedModel, readModelDefinition } from './model-definition-reader.js';
import { type ModelReference, readModelReference } from './model-reference.js';
import { compareByCodeUnits } from './package-content.js';
import { readRelationshipDefinition } from './relationship-definition-reader.js';

/** The location of a definition; the value itself is released as soon as it is read. */
export type DefinitionLocation = Pick<RawDefinition, 'entity' | 'path' | 'document' | 'pointer'>;

export interface DefinitionLocationFault {
  place: DefinitionLocation;
  fault: Fault;
}

type DefinitionPart = { component: ComponentDefinition } | { relationship: RelationshipDefinition };
type PendingDefinition = DefinitionPart & { place: DefinitionLocation; reference: ModelReference };

/** Assembles the definitions of a package: each with its model, without duplicates. */
export class PackageAssembler {
  readonly faults: DefinitionLocationFault[] = [];
  readonly connections: ConnectionDefinition[] = [];
  failed = 0;
  private readonly known = new ModelIndex();
  private readonly pending: PendingDefinition[] = [];
  private readonly contents = new Map<string, ModelContent>();
  private readonly copies = new Map<string, ModelReference>();
  private readonly taken = new Map<string, { digest: string; path: string }>();

  constructor(private readonly limits: FormatLimits) {}

  add(found: RawDefinition): void {
    const place = locationOf(found);
    const faults: Fault[] = [];
    if (found.entity === 'model') {
      const model = readModelDefinition(found.value, found.pointer, faults);
      if (this.addFaults(place, faults)) this.addModel(model, place);
    } else if (found.entity === 'connection') {
      const connection = readConnectionDefinition(found, faults);
      if (!this.addFaults(place, faults)) return;
      connection.digest = definitionDigest(connection);
      if (this.checkNew(place, [connection.kind], connection.digest)) this.connections.push(connection);
    } else {
      const reference = this.deduplicate(readModelReference(found, faults), found.entity);
      const part: DefinitionPart =
        found.entity === 'component'
          ? { component: readComponent(found, faults, this.limits) }
          : { relationship: readRelationshipDefinition(found, faults) };
      if (this.addFaults(place, faults)) this.pending.push({ ...part, place, reference });
    }
  }

  /** The models with their entries. Called once, after everything was added. */
  finish(): ModelContent[] {
    for (const model of this.known.models) this.getContent(model);
    // A component contains more data of its model than a relationship does.
    for (const pending of this.pending) if ('component' in pending) this.assign(pending);
    for (const pending of this.pending) if ('relationship' in pending) this.assign(pending);
    const contents = [...this.contents.values()];
    for (const { components, relationships } of contents) {
      components.sort((a, b) => compareByCodeUnits(a.kind, b.kind) || compareByCodeUnits(a.apiVersion, b.apiVersion));
      relationships.sort(
        (a, b) => compareByCodeUnits(a.kind, b.kind) || compareByCodeUnits(a.digest ?? '', b.digest ?? ''),
      );
    }
    return contents.sort((a, b) => compareByCodeUnits(modelKey(a.model), modelKey(b.model)));
  }

  private addModel(model: ModelDefinition, place: DefinitionLocation): void {
    model.digest = definitionDigest(model);
    if (this.checkNew(place, [modelKey(model)], model.digest)) this.known.add(model, place.path);
  }

  private assign(pending: PendingDefinition): void {
    const { place, reference } = pending;
    const content = this.resolveContent(reference, place);
    if (!content) return;
    const model = modelKey(content.model);
    if ('component' in pending) {
      const { component } = pending;
      component.digest = definitionDigest(component);
      const identity = [model, component.kind, component.apiVersion];
      if (this.checkNew(place, identity, component.digest)) content.components.push(component);
    } else {
      const { relationship } = pending;
      relationship.digest = definitionDigest(relationship);
      const identity = [model, relationshipIdentity(relationship)];
      if (this.checkNew(place, identity, relationship.digest)) content.relationships.push(relationship);
    }
  }

  private resolveContent(reference: ModelReference, place: DefinitionLocation): ModelContent | undefined {
    const model = this.known.resolve(reference, place.path);
    if (model) return this.getContent(model);
    const { name, around, pointer } = reference;
    const version = reference.version || reference.doubtfulVersion;
    const faults: Fault[] = [];
    if (name === '' || version === '') {
      const missing = name === '' ? 'model' : 'version of its model';
      const detail = `names no ${missing}, and no model file near it does`;
      const remedy = 'Give model.name and model.model.version, or put a model file into a folder above.';
      this.addFaults(place, [{ pointer, detail, remedy }]);
      return undefined;
    }
    const known = this.contents.get(modelKey({ name, version, registrant: { hostname: reference.hostname } }));
    if (known) return known;
    const made = readEmbeddedModel(reference.value, pointer, faults, { name, version, around });
    if (!this.addFaults(place, faults)) return undefined;
    made.digest = definitionDigest(made);
    const content = this.getContent(made);
    content.embedded = true;
    return content;
  }

  private getContent(model: ModelDefinition): ModelContent {
    const key = modelKey(model);
    const content = this.contents.get(key) ?? { model, components: [], relationships: [] };
    this.contents.set(key, content);
    return content;
  }

  /** One reference for all equal definitions, so that a thousand copies of a model do not stay in memory. */
  private deduplicate(reference: ModelReference, entity: DefinitionEntity): ModelReference {
    const { name, version, doubtfulVersion, hostname } = reference;
    const key = joinKey(entity, name, version, doubtfulVersion, hostname);
    const first = this.copies.get(key);
    if (!first) this.copies.set(key, reference);
    return first ?? reference;
  }

  /** Whether this identity is new. A repetition with equal content is ignored, with different content it is a fault. */
  private checkNew(place: DefinitionLocation, identity: string[], digest: string): boolean {
    const key = joinKey(place.entity, ...identity);
    const before = this.taken.get(key);
    if (!before) this.taken.set(key, { digest, path: place.path });
    else if (before.digest !== digest) {
      const where = before.path === place.path ? 'in the same file' : `in ${before.path}`;
      const detail = `is given with other content ${where}, which was taken`;
      this.addFaults(place, [{ pointer: place.pointer, detail, remedy: 'Keep one of the two.' }]);
    }
    return !before;
  }

  private addFaults(place: DefinitionLocation, faults: Fault[]): boolean {
    this.failed += faults.length > 0 ? 1 : 0;
    for (const fault of faults) this.faults.push({ place, fault });
    return faults.length === 0;
  }
}

function locationOf({ entity, path, document, pointer }: RawDefinition): DefinitionLocation {
  return { entity, path, document, pointer };
}

function modelKey({
  name,
  version,
  registrant,
}: Pick<ModelDefinition, 'name' | 'version'> & { registrant: { hostname: string } }): string {
  return joinKey(name, version, registrant.hostname);
}

/** Text that was read contains no NUL. */
function joinKey(...texts: string[]): string {
  return texts.join('\0');
}
