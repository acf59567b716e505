import { type Fault } from '../../core/errors/app-error.js';
import { type FormatLimits } from '../../formats/limits.js';
import {
  type ComponentDefinition,
  type ConnectionDefinition,
  type ModelContent,
  type ModelDefinition,
  type RelationshipDefinition,
} from '../definition.js';
import { digestOf, identityOfRelationship } from '../digest.js';
import { readComponent } from './component-definition.js';
import { readConnection } from './connection-definition.js';
import { type Entity, type FoundDefinition } from './found-definition.js';
import { KnownModels } from './known-models.js';
import { readEmbeddedModel, readModel } from './model-definition.js';
import { type ModelReference, modelReferenceOf } from './model-reference.js';
import { inOrder } from './package-content.js';
import { readRelationship } from './relationship-definition.js';

/** Where a definition stands; the value itself is let go of as soon as it is read. */
export type Place = Pick<FoundDefinition, 'entity' | 'path' | 'document' | 'pointer'>;

export interface PlacedFault {
  place: Place;
  fault: Fault;
}

type Part = { component: ComponentDefinition } | { relationship: RelationshipDefinition };
type Pending = Part & { place: Place; reference: ModelReference };

/** Puts the definitions of a package together: each with its model, each once. */
export class PackageAssembly {
  readonly faults: PlacedFault[] = [];
  readonly connections: ConnectionDefinition[] = [];
  failed = 0;
  private readonly known = new KnownModels();
  private readonly pending: Pending[] = [];
  private readonly contents = new Map<string, ModelContent>();
  private readonly copies = new Map<string, ModelReference>();
  private readonly taken = new Map<string, { digest: string; path: string }>();

  constructor(private readonly limits: FormatLimits) {}

  add(found: FoundDefinition): void {
    const place = placeOf(found);
    const faults: Fault[] = [];
    if (found.entity === 'model') {
      const model = readModel(found.value, found.pointer, faults);
      if (this.sound(place, faults)) this.addModel(model, place);
    } else if (found.entity === 'connection') {
      const connection = readConnection(found, faults);
      if (!this.sound(place, faults)) return;
      connection.digest = digestOf(connection);
      if (this.isNew(place, [connection.kind], connection.digest)) this.connections.push(connection);
    } else {
      const reference = this.copyOf(modelReferenceOf(found, faults), found.entity);
      const part: Part =
        found.entity === 'component'
          ? { component: readComponent(found, faults, this.limits) }
          : { relationship: readRelationship(found, faults) };
      if (this.sound(place, faults)) this.pending.push({ ...part, place, reference });
    }
  }

  /** The models with what belongs to each. To be called once, after everything was added. */
  finish(): ModelContent[] {
    for (const model of this.known.models) this.contentOf(model);
    // A component tells more of its model than a relationship does.
    for (const pending of this.pending) if ('component' in pending) this.put(pending);
    for (const pending of this.pending) if ('relationship' in pending) this.put(pending);
    const contents = [...this.contents.values()];
    for (const { components, relationships } of contents) {
      components.sort((a, b) => inOrder(a.kind, b.kind) || inOrder(a.apiVersion, b.apiVersion));
      relationships.sort((a, b) => inOrder(a.kind, b.kind) || inOrder(a.digest ?? '', b.digest ?? ''));
    }
    return contents.sort((a, b) => inOrder(keyOf(a.model), keyOf(b.model)));
  }

  private addModel(model: ModelDefinition, place: Place): void {
    model.digest = digestOf(model);
    if (this.isNew(place, [keyOf(model)], model.digest)) this.known.add(model, place.path);
  }

  private put(pending: Pending): void {
    const { place, reference } = pending;
    const content = this.contentFor(reference, place);
    if (!content) return;
    const model = keyOf(content.model);
    if ('component' in pending) {
      const { component } = pending;
      component.digest = digestOf(component);
      const identity = [model, component.kind, component.apiVersion];
      if (this.isNew(place, identity, component.digest)) content.components.push(component);
    } else {
      const { relationship } = pending;
      relationship.digest = digestOf(relationship);
      const identity = [model, identityOfRelationship(relationship)];
      if (this.isNew(place, identity, relationship.digest)) content.relationships.push(relationship);
    }
  }

  private contentFor(reference: ModelReference, place: Place): ModelContent | undefined {
    const model = this.known.meant(reference, place.path);
    if (model) return this.contentOf(model);
    const { name, around, pointer } = reference;
    const version = reference.version || reference.doubtfulVersion;
    const faults: Fault[] = [];
    if (name === '' || version === '') {
      const missing = name === '' ? 'model' : 'version of its model';
      const detail = `names no ${missing}, and no model file near it does`;
      const remedy = 'Give model.name and model.model.version, or put a model file into a folder above.';
      this.sound(place, [{ pointer, detail, remedy }]);
      return undefined;
    }
    const known = this.contents.get(keyOf({ name, version, registrant: { hostname: reference.hostname } }));
    if (known) return known;
    const made = readEmbeddedModel(reference.value, pointer, faults, { name, version, around });
    if (!this.sound(place, faults)) return undefined;
    made.digest = digestOf(made);
    const content = this.contentOf(made);
    content.embedded = true;
    return content;
  }

  private contentOf(model: ModelDefinition): ModelContent {
    const key = keyOf(model);
    const content = this.contents.get(key) ?? { model, components: [], relationships: [] };
    this.contents.set(key, content);
    return content;
  }

  /** One reference for all definitions that say the same, so that a thousand copies of a model do not stay in memory. */
  private copyOf(reference: ModelReference, entity: Entity): ModelReference {
    const { name, version, doubtfulVersion, hostname } = reference;
    const key = joined(entity, name, version, doubtfulVersion, hostname);
    const first = this.copies.get(key);
    if (!first) this.copies.set(key, reference);
    return first ?? reference;
  }

  /** Whether nothing of this identity was taken before. The same content again is nothing new, other content is a fault. */
  private isNew(place: Place, identity: string[], digest: string): boolean {
    const key = joined(place.entity, ...identity);
    const before = this.taken.get(key);
    if (!before) this.taken.set(key, { digest, path: place.path });
    else if (before.digest !== digest) {
      const where = before.path === place.path ? 'in the same file' : `in ${before.path}`;
      const detail = `is given with other content ${where}, which was taken`;
      this.sound(place, [{ pointer: place.pointer, detail, remedy: 'Keep one of the two.' }]);
    }
    return !before;
  }

  private sound(place: Place, faults: Fault[]): boolean {
    this.failed += faults.length > 0 ? 1 : 0;
    for (const fault of faults) this.faults.push({ place, fault });
    return faults.length === 0;
  }
}

function placeOf({ entity, path, document, pointer }: FoundDefinition): Place {
  return { entity, path, document, pointer };
}

function keyOf({
  name,
  version,
  registrant,
}: Pick<ModelDefinition, 'name' | 'version'> & { registrant: { hostname: string } }): string {
  return joined(name, version, registrant.hostname);
}

/** Text that was read has no NUL in it. */
function joined(...texts: string[]): string {
  return texts.join('\0');
}
