import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ModelContent } from '../../formats/definitions/definitions.js';
import { definitionDigest, relationshipIdentity } from '../../formats/definitions/definition-digest.js';
import { ModelsStore } from '../models/models.store.js';
import { EntitiesRegistered } from '../entities/registry.events.js';
import { RegistryRevisionStore } from '../entities/registry-revision.store.js';
import type { RegistrationOutcome } from '../entities/registry.events.js';
import { decideOutcome, type RegisteredEntities, type RegistrationResult } from './registration-result.js';
import { RegisteredPackagesStore } from './registered-packages.store.js';
import { componentKey, type StoredModel, RegistrationStore } from './registration.store.js';

interface EntryComparison<D> {
  id: string;
  digest: string;
  definition: D;
  outcome: RegistrationOutcome;
}

/** A model with its entries compared with the registry. */
interface ModelComparison {
  content: ModelContent;
  digest: string;
  id: string;
  /** The revision of the record, 0 when there is none yet. */
  revision: number;
  outcome: RegistrationOutcome;
  components: EntryComparison<ModelContent['components'][number]>[];
  relationships: (EntryComparison<ModelContent['relationships'][number]> & { identity: string })[];
}

/** Writes definitions to the registry. Existing definitions with the same content are not changed. */
@Injectable()
export class DefinitionRegistrar {
  constructor(
    private readonly store: RegistrationStore,
    private readonly models: ModelsStore,
    private readonly packages: RegisteredPackagesStore,
    private readonly revision: RegistryRevisionStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** The outcome of registering; nothing is written. */
  async compare(contents: ModelContent[]): Promise<RegisteredEntities> {
    return toRegisteredEntities(await this.compareModels(contents));
  }

  /**
   * Registers everything or, on failure, nothing. Publishes one event, unless nothing changed.
   * @param source hash of the bytes of exactly these contents, by which the same bytes are recognized later
   */
  async register(actor: Actor, contents: ModelContent[], source?: string): Promise<RegisteredEntities> {
    const before = await this.compareModels(contents);
    const changed = before.filter(hasChanged);
    if (changed.length === 0) return this.rememberPackage(source, before);
    await this.store.insertSchemas(
      changed.flatMap((each) => changedEntries(each.components).map((c) => c.definition.schema)),
    );
    return this.unit.run(async () => {
      const done: ModelComparison[] = [];
      for (const each of before) done.push(hasChanged(each) ? await this.writeModel(each.content) : each);
      const result = await this.rememberPackage(source, done);
      const [first] = result.models;
      if (first && done.some(hasChanged)) {
        this.revision.incrementOnCommit();
        const names = changed.map(({ content: { model } }) => `${model.name} ${model.version}`);
        await this.events.publish(new EntitiesRegistered(actor, first.id, names, countOutcomes(result)));
      }
      return result;
    });
  }

  private async compareModels(contents: ModelContent[]): Promise<ModelComparison[]> {
    const found: ModelComparison[] = [];
    for (const content of contents)
      found.push(await this.compareModel(content, await this.store.findModel(content.model)));
    return found;
  }

  /** Compares again with the model locked, because another registration may have finished since, and writes the differences. */
  private async writeModel(content: ModelContent): Promise<ModelComparison> {
    const digest = content.model.digest ?? definitionDigest(content.model);
    const model = await this.store.lockOrCreateModel(content.model, digest);
    const found = await this.compareModel(content, model);
    if (model.isNew) found.outcome = 'registered';
    if (found.outcome !== 'unchanged') await this.store.writeModel(model.id, content.model, found.digest);
    const listed = model.status === 'enabled';
    await this.store.writeComponents(model.id, listed, changedEntries(found.components));
    await this.store.writeRelationships(model.id, listed, changedEntries(found.relationships));
    return { ...found, revision: await this.models.refreshCounts(model.id) };
  }

  private async rememberPackage(
    source: string | undefined,
    comparisons: ModelComparison[],
  ): Promise<RegisteredEntities> {
    const result = toRegisteredEntities(comparisons);
    const revisions = Object.fromEntries(comparisons.map(({ id, revision }) => [id, revision]));
    if (source) await this.packages.save(source, revisions, result);
    return result;
  }

  private async compareModel(content: ModelContent, known: StoredModel | undefined): Promise<ModelComparison> {
    const digest = content.model.digest ?? definitionDigest(content.model);
    // A model that is already known is not changed by what components state of it.
    const sameModel = known && !known.deletedAt && content.embedded;
    const components = known ? await this.store.findComponents(known.id) : new Map<string, StoredModel>();
    const relationships =
      known && content.relationships.length > 0
        ? await this.store.findRelationships(known.id)
        : new Map<string, StoredModel>();
    return {
      content,
      digest,
      id: known?.id ?? newId(),
      revision: known?.revision ?? 0,
      outcome: sameModel ? 'unchanged' : decideOutcome(known, digest),
      components: content.components.map((definition) => {
        const own = components.get(componentKey(definition));
        return compareEntry(definition, own);
      }),
      relationships: content.relationships.map((definition) => {
        const identity = relationshipIdentity(definition);
        return { ...compareEntry(definition, relationships.get(identity)), identity };
      }),
    };
  }
}

function compareEntry<D extends Parameters<typeof definitionDigest>[0]>(
  definition: D,
  known: { id: string; digest: string; deletedAt: Date | null } | undefined,
): EntryComparison<D> {
  const digest = definition.digest ?? definitionDigest(definition);
  return { id: known?.id ?? newId(), digest, definition, outcome: decideOutcome(known, digest) };
}

const changedEntries = <E extends { outcome: RegistrationOutcome }>(entries: E[]): E[] =>
  entries.filter((e) => e.outcome !== 'unchanged');

const hasChanged = ({ outcome, components, relationships }: ModelComparison): boolean =>
  outcome !== 'unchanged' || changedEntries(components).length > 0 || changedEntries(relationships).length > 0;

export function countOutcomes(
  { models, components, relationships }: RegisteredEntities,
  failed = 0,
): RegistrationResult['counts'] {
  const counts = { registered: 0, updated: 0, unchanged: 0, failed };
  for (const { outcome } of [...models, ...components, ...relationships]) counts[outcome] += 1;
  return counts;
}

function toRegisteredEntities(comparisons: ModelComparison[]): RegisteredEntities {
  const models = comparisons.map(({ id, content: { model }, outcome }) => {
    const { name, version, displayName, registrant } = model;
    return { id, name, version, displayName, registrant, outcome };
  });
  const components = comparisons.flatMap(({ content, components: all }) =>
    all.map(({ id, outcome, definition: { kind, apiVersion, displayName } }) => {
      const { name, version } = content.model;
      return { id, kind, apiVersion, displayName, model: { name, version }, outcome };
    }),
  );
  const relationships = comparisons.flatMap(({ content, relationships: all }) =>
    all.map(({ id, outcome, definition: { kind, type, subType } }) => {
      const { name, version } = content.model;
      return { id, kind, type, sub_type: subType, model: { name, version }, outcome };
    }),
  );
  return { models, components, relationships };
}
