import { Injectable } from '@nestjs/common';
import { ResponseBudget } from '../core/responses/response-budget.service.js';
import { getLoader } from '../core/graphql/loaders.js';
import type { Component } from './components/component.entity.js';
import { ComponentView, ModelReferenceView } from './components/component.view.js';
import { ComponentsStore } from './components/components.store.js';
import type { Model } from './models/model.entity.js';
import { ModelView } from './models/model.view.js';
import { ModelsStore } from './models/models.store.js';
import type { Registrant } from './registrants/registrant.entity.js';
import { RegistrantsStore } from './registrants/registrants.store.js';
import type { Relationship } from './relationships/relationship.entity.js';
import type { EntityType } from './entities/entity-type.js';
import { RelationshipView } from './relationships/relationship.view.js';

/** Presents entities with their references; two or three statements for a page of them. */
@Injectable()
export class RegistryPresenter {
  constructor(
    private readonly registrants: RegistrantsStore,
    private readonly modelRecords: ModelsStore,
    private readonly componentRecords: ComponentsStore,
    private readonly budget: ResponseBudget,
  ) {}

  async toModelViews(models: Model[]): Promise<ModelView[]> {
    const registrants = await this.loadRegistrants(models);
    const versions = await this.modelRecords.findVersions(models);
    return models.map((model) =>
      ModelView.fromEntity(
        model,
        getRecord(registrants, model.registrantId),
        versions.get(`${model.registrantId} ${model.name}`) ?? { versions: [model.version], duplicates: 0 },
      ),
    );
  }

  /** `trim` leaves the schemas out. */
  async toComponentViews(components: Component[], trim = false): Promise<ComponentView[]> {
    const models = await this.loadModelReferences(components);
    const digests = components.flatMap(({ schemaDigest }) => schemaDigest ?? []);
    const schemas = trim ? new Map<string, string>() : await this.componentRecords.findSchemas([...new Set(digests)]);
    return components.map((component) =>
      ComponentView.fromEntity(
        component,
        getRecord(models, component.modelId),
        trim ? undefined : (schemas.get(component.schemaDigest ?? '') ?? ''),
      ),
    );
  }

  /** For GraphQL: the field of the schema reads it by the hash when it is selected. */
  async toComponentViewsWithoutSchemas(components: Component[]): Promise<ComponentView[]> {
    const views = await this.toComponentViews(components, true);
    views.forEach((view, index) => (view.component.schemaDigest = components[index]?.schemaDigest ?? undefined));
    return views;
  }

  /** Measures the schemas of a page before they are read. @throws InvalidRequest ANSWER_TOO_LARGE */
  async assertSchemasFit(components: Component[]): Promise<void> {
    const digests = components.flatMap(({ schemaDigest }) => schemaDigest ?? []);
    await this.budget.reserve(await this.componentRecords.sumSchemaBytes(digests), digests.length);
  }

  /** The schema with a hash for one GraphQL operation, which batches its reads. */
  loadSchema(context: object, digest: string): Promise<string> {
    const load = async (digests: readonly string[]): Promise<Map<string, string>> => {
      await this.budget.reserve(await this.componentRecords.sumSchemaBytes(digests), digests.length);
      return this.componentRecords.findSchemas(digests);
    };
    return this.budget.readShared(`schema ${digest}`, () =>
      getLoader(context, 'component.schema', load, '').load(digest),
    );
  }

  async toRelationshipViews(relationships: Relationship[]): Promise<RelationshipView[]> {
    const models = await this.loadModelReferences(relationships);
    return relationships.map((each) => RelationshipView.fromEntity(each, getRecord(models, each.modelId)));
  }

  /** One entity, including its schema. */
  async toEntityView(type: EntityType, entity: Model | Component | Relationship): Promise<object | undefined> {
    if (type === 'model') return (await this.toModelViews([entity as Model]))[0];
    if (type === 'component') return (await this.toComponentViews([entity as Component]))[0];
    return (await this.toRelationshipViews([entity as Relationship]))[0];
  }

  private async loadModelReferences(entities: { modelId: string }[]): Promise<Map<string, ModelReferenceView>> {
    const models = await this.modelRecords.findAll([...new Set(entities.map(({ modelId }) => modelId))]);
    const registrants = await this.loadRegistrants([...models.values()]);
    return new Map(
      [...models].map(([id, model]) => [
        id,
        ModelReferenceView.fromEntity(model, getRecord(registrants, model.registrantId)),
      ]),
    );
  }

  private loadRegistrants(models: Model[]): Promise<Map<string, Registrant>> {
    return this.registrants.findAll([...new Set(models.map(({ registrantId }) => registrantId))]);
  }
}

/** Foreign keys guarantee that it exists. */
function getRecord<T>(records: Map<string, T>, id: string): T {
  const record = records.get(id);
  if (!record) throw new Error(`the registry has no record ${id}, although a foreign key references it`);
  return record;
}
