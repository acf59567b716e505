import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { NotFound } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Page } from '../core/listing/page.js';
import { Precondition } from '../core/rest/precondition.js';
import type { JsonObject } from '../core/json/json.js';
import type { Component } from './components/component.entity.js';
import { ComponentsStore } from './components/components.store.js';
import type { EntryStatus } from './entities/entry-status.js';
import type { Model } from './models/model.entity.js';
import { ModelsStore } from './models/models.store.js';
import type { EntityType } from './entities/entity-type.js';
import { EntityStatusChanged, ModelDeleted } from './entities/registry.events.js';
import type { RegistryListQuery, RegistryScope } from './entities/registry-list.query.js';
import { RegistryRevisionStore } from './entities/registry-revision.store.js';
import { assertRegistryWriter, registryPolicy } from './entities/registry.policy.js';
import type { Relationship } from './relationships/relationship.entity.js';
import { RelationshipsStore } from './relationships/relationships.store.js';

/** The entities of the registry. It is the same for every reader, so reading needs no actor. */
@Injectable()
export class RegistryService {
  constructor(
    private readonly models: ModelsStore,
    private readonly components: ComponentsStore,
    private readonly relationships: RelationshipsStore,
    private readonly revision: RegistryRevisionStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @throws NotFound when the registry has nothing under the path */
  async listModels(query: RegistryListQuery, scope: RegistryScope): Promise<Page<Model>> {
    const page = await this.models.page(query, scope);
    if (page.total === 0) await this.assertExists(scope);
    return page;
  }

  async listComponents(query: RegistryListQuery, scope: RegistryScope): Promise<Page<Component>> {
    const page = await this.components.page(query, scope);
    if (page.total === 0) await this.assertExists(scope);
    return page;
  }

  async listRelationships(query: RegistryListQuery, scope: RegistryScope): Promise<Page<Relationship>> {
    const page = await this.relationships.page(query, scope);
    if (page.total === 0) await this.assertExists(scope);
    return page;
  }

  /** @throws NotFound when a name in a path does not exist: of a category, of a model in it, or of a component in that */
  async assertExists({ category, model, kind }: RegistryScope): Promise<void> {
    if (category && !(await this.models.hasCategory(category))) throw new NotFound('category', category);
    const named = model ? await this.models.findByName(model, { category }) : [];
    if (model && named.length === 0) throw new NotFound('model', model);
    if (!kind) return;
    const every = { pagesize: '1', status: 'all' };
    const found = await this.components.page(every, { category, model, kind });
    if (found.total === 0) throw new NotFound('component', kind);
  }

  /** @throws NotFound */
  async getEntity(type: EntityType, id: string): Promise<Model | Component | Relationship> {
    const store = { model: this.models, component: this.components, relationship: this.relationships }[type];
    return orNotFound(type, id, await store.find(id));
  }

  /**
   * The JSON Schema of a kind.
   * @throws NotFound when no enabled component of it has a schema
   */
  async getSchema(
    kind: string,
    narrowed: { model?: string; version?: string; apiVersion?: string },
  ): Promise<JsonObject> {
    const definition = await this.components.findEffective(kind, narrowed);
    if (!definition?.schema) throw new NotFound('schema', kind);
    return JSON.parse(definition.schema) as JsonObject;
  }

  /** Enables or disables an entity; for a model this also applies to its components and relationships. */
  async setStatus(actor: Actor, type: EntityType, id: string, status: EntryStatus): Promise<void> {
    assertRegistryWriter(actor, registryPolicy.setStatus);
    await this.unit.run(async () => {
      const name =
        type === 'model' ? await this.setModelStatus(id, status) : await this.setEntryStatus(type, id, status);
      if (name === null) return;
      this.revision.incrementOnCommit();
      await this.events.publish(new EntityStatusChanged(actor, { type, id, name }, status));
    });
  }

  /** Deletes a version of a model and its entries; registering it again restores it. */
  async delete(actor: Actor, id: string, match = Precondition.none): Promise<Model> {
    assertRegistryWriter(actor, registryPolicy.delete);
    return this.unit.run(async () => {
      const model = orNotFound('model', id, await this.models.lock(id));
      match.assertMatches(model);
      await this.models.softDelete(model);
      await this.components.applyModelState(id, { listed: false, deletedAt: model.deletedAt });
      await this.models.refreshCounts(id);
      this.revision.incrementOnCommit();
      await this.events.publish(new ModelDeleted(actor, model));
      return model;
    });
  }

  /** @returns the subject of the event of the change, null when there is none */
  private async setModelStatus(id: string, status: EntryStatus): Promise<string | null> {
    const model = orNotFound('model', id, await this.models.lock(id));
    if (model.status === status) return null;
    await this.models.update(model, { status });
    await this.components.applyModelState(id, { listed: status === 'enabled', deletedAt: null });
    await this.models.refreshCounts(id);
    return `${model.name} ${model.version}`;
  }

  private async setEntryStatus(
    type: 'component' | 'relationship',
    id: string,
    status: EntryStatus,
  ): Promise<string | null> {
    const { modelId } = orNotFound(
      type,
      id,
      await (type === 'component' ? this.components : this.relationships).find(id),
    );
    // Locks the model first, as a registration does, to avoid a deadlock.
    const model = orNotFound('model', modelId, await this.models.lock(modelId));
    const change = { status, listed: status === 'enabled' && model.status === 'enabled' };
    const kind =
      type === 'component'
        ? await updateEntryStatus(this.components, type, id, change)
        : await updateEntryStatus(this.relationships, type, id, change);
    if (kind !== null) await this.models.refreshCounts(modelId);
    return kind;
  }
}

/** What both kinds of entries need for listing. */
interface StatusEntry {
  kind: string;
  status: EntryStatus;
  listed: boolean;
}

interface LockableStore<E> {
  lock: (id: string) => Promise<E | null>;
  update: (entry: E, change: Partial<E>) => Promise<E>;
}

async function updateEntryStatus<E extends StatusEntry>(
  store: LockableStore<E>,
  type: EntityType,
  id: string,
  change: Pick<StatusEntry, 'status' | 'listed'>,
): Promise<string | null> {
  const entry = orNotFound(type, id, await store.lock(id));
  if (entry.status === change.status) return null;
  await store.update(entry, change as Partial<E>);
  return entry.kind;
}

function orNotFound<T>(what: string, id: string, record: T | null): T {
  if (!record) throw new NotFound(what, id);
  return record;
}
