import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ModelContent } from '../definition.js';
import { digestOf, identityOfRelationship } from '../digest.js';
import { ModelsStore } from '../models/models.store.js';
import { EntitiesRegistered } from '../registry.events.js';
import { RegistryRevisionStore } from '../registry-revision.store.js';
import { type Outcome, outcomeOf, type RegistrationResult } from './outcome.js';
import { RegisteredPackages } from './registered-packages.js';
import { componentKey, type KnownModel, RegistrationStore } from './registration.store.js';

/** What came of the entities; connections and faults are told by who read them. */
export type Registered = Pick<RegistrationResult, 'models' | 'components' | 'relationships'>;

interface Entry<D> {
  id: string;
  digest: string;
  definition: D;
  outcome: Outcome;
}

/** A model with its entries held against what the registry has of it. */
interface Comparison {
  content: ModelContent;
  digest: string;
  id: string;
  /** Of the record, 0 when there is none yet. */
  revision: number;
  outcome: Outcome;
  components: Entry<ModelContent['components'][number]>[];
  relationships: (Entry<ModelContent['relationships'][number]> & { identity: string })[];
}

/** Takes definitions into the registry. What is there already with the same content stays untouched, whoever registers it again. */
@Injectable()
export class Registration {
  constructor(
    private readonly store: RegistrationStore,
    private readonly models: ModelsStore,
    private readonly packages: RegisteredPackages,
    private readonly revision: RegistryRevisionStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** What registering would do; nothing is written. */
  async compare(contents: ModelContent[]): Promise<Registered> {
    return told(await this.comparisons(contents));
  }

  /**
   * Registers all of it or, when that fails, nothing. Says so in one event, unless nothing changed.
   * @param source digest of the bytes that held exactly these contents; the same bytes are then known when they come again
   */
  async register(actor: Actor, contents: ModelContent[], source?: string): Promise<Registered> {
    const before = await this.comparisons(contents);
    const changed = before.filter(isChange);
    if (changed.length === 0) return this.remember(source, before);
    await this.store.keepSchemas(changed.flatMap((each) => writes(each.components).map((c) => c.definition.schema)));
    return this.unit.run(async () => {
      const done: Comparison[] = [];
      for (const each of before) done.push(isChange(each) ? await this.write(each.content) : each);
      const result = await this.remember(source, done);
      const [first] = result.models;
      if (first && done.some(isChange)) {
        this.revision.changes();
        const names = changed.map(({ content: { model } }) => `${model.name} ${model.version}`);
        await this.events.publish(new EntitiesRegistered(actor, first.id, names, countsOf(result)));
      }
      return result;
    });
  }

  private async comparisons(contents: ModelContent[]): Promise<Comparison[]> {
    const found: Comparison[] = [];
    for (const content of contents) found.push(await this.held(content, await this.store.findModel(content.model)));
    return found;
  }

  /** Compares once more with the model held, for another registration may have come between, and writes what differs. */
  private async write(content: ModelContent): Promise<Comparison> {
    const digest = content.model.digest ?? digestOf(content.model);
    const model = await this.store.holdModel(content.model, digest);
    const found = await this.held(content, model);
    if (model.isNew) found.outcome = 'registered';
    if (found.outcome !== 'unchanged') await this.store.writeModel(model.id, content.model, found.digest);
    const listed = model.status === 'enabled';
    await this.store.writeComponents(model.id, listed, writes(found.components));
    await this.store.writeRelationships(model.id, listed, writes(found.relationships));
    return { ...found, revision: await this.models.recount(model.id) };
  }

  private async remember(source: string | undefined, comparisons: Comparison[]): Promise<Registered> {
    const result = told(comparisons);
    const revisions = Object.fromEntries(comparisons.map(({ id, revision }) => [id, revision]));
    if (source) await this.packages.keep(source, revisions, result);
    return result;
  }

  private async held(content: ModelContent, known: KnownModel | undefined): Promise<Comparison> {
    const digest = content.model.digest ?? digestOf(content.model);
    // What components say of a model in passing is no reason to change a model that is known.
    const sameModel = known && !known.deletedAt && content.embedded;
    const components = known ? await this.store.components(known.id) : new Map<string, KnownModel>();
    const relationships =
      known && content.relationships.length > 0
        ? await this.store.relationships(known.id)
        : new Map<string, KnownModel>();
    return {
      content,
      digest,
      id: known?.id ?? newId(),
      revision: known?.revision ?? 0,
      outcome: sameModel ? 'unchanged' : outcomeOf(known, digest),
      components: content.components.map((definition) => {
        const own = components.get(componentKey(definition));
        return entry(definition, own);
      }),
      relationships: content.relationships.map((definition) => {
        const identity = identityOfRelationship(definition);
        return { ...entry(definition, relationships.get(identity)), identity };
      }),
    };
  }
}

function entry<D extends Parameters<typeof digestOf>[0]>(
  definition: D,
  known: { id: string; digest: string; deletedAt: Date | null } | undefined,
): Entry<D> {
  const digest = definition.digest ?? digestOf(definition);
  return { id: known?.id ?? newId(), digest, definition, outcome: outcomeOf(known, digest) };
}

const writes = <E extends { outcome: Outcome }>(entries: E[]): E[] => entries.filter((e) => e.outcome !== 'unchanged');

const isChange = ({ outcome, components, relationships }: Comparison): boolean =>
  outcome !== 'unchanged' || writes(components).length > 0 || writes(relationships).length > 0;

export function countsOf({ models, components, relationships }: Registered, failed = 0): RegistrationResult['counts'] {
  const counts = { registered: 0, updated: 0, unchanged: 0, failed };
  for (const { outcome } of [...models, ...components, ...relationships]) counts[outcome] += 1;
  return counts;
}

function told(comparisons: Comparison[]): Registered {
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
