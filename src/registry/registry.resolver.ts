import { Args, ArgsType, Field, ID, InputType, ObjectType, Query, Resolver, Subscription } from '@nestjs/graphql';
import { IsIn, IsOptional } from 'class-validator';
import { ListArgs } from '../core/listing/list-query.js';
import { IdPipe } from '../core/rest/id.pipe.js';
import { IntField, RecordsField, TextField } from '../core/schema/view-fields.js';
import type { Component } from './components/component.entity.js';
import { ComponentPage, ComponentView } from './components/component.view.js';
import { ModelPage, ModelView } from './models/model.view.js';
import { toRegistryEnvelope } from './registry-lists.service.js';
import { RegistryListQuery, type RegistryScope } from './entities/registry-list.query.js';
import { RegistryPresenter } from './registry.presenter.js';
import { RegistryService } from './registry.service.js';
import { RegistrySummaryFeedService } from './registry-summary-feed.service.js';

/** The parameters of the REST lists; the registry is the same for every organization. */
@ArgsType()
class RegistryArgs extends ListArgs {
  @Field(() => String, { nullable: true })
  @IsOptional()
  version?: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  status?: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  annotations?: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  category?: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  model?: string;

  get scope(): RegistryScope {
    return { category: this.category ?? undefined, model: this.model ?? undefined };
  }

  get query(): RegistryListQuery {
    const { version, status, annotations } = this;
    const given = { ...this.toListQuery(), version, status, annotations };
    return Object.assign(
      new RegistryListQuery(),
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined)),
    );
  }
}

const SUMMARY_TYPES = ['components', 'relationships', 'all'];

@InputType()
export class MeshModelSummarySelector {
  @Field(() => String, { description: 'components, relationships or all' })
  @IsIn(SUMMARY_TYPES, { message: `must be one of ${SUMMARY_TYPES.join(', ')}` })
  type!: string;
}

@ObjectType()
class MeshModelCount {
  @TextField()
  name!: string;

  @IntField()
  count!: number;
}

/** Enabled components by model, enabled relationships by kind. */
@ObjectType()
export class MeshModelSummary {
  @RecordsField(() => MeshModelCount, { nullable: true })
  components!: MeshModelCount[] | null;

  @RecordsField(() => MeshModelCount, { nullable: true })
  relationships!: MeshModelCount[] | null;
}

@Resolver()
export class RegistryResolver {
  constructor(
    private readonly registry: RegistryService,
    private readonly presenter: RegistryPresenter,
    private readonly summaries: RegistrySummaryFeedService,
  ) {}

  @Query(() => ModelPage)
  async models(@Args() { query, scope }: RegistryArgs): Promise<object> {
    const page = await this.registry.listModels(query, scope);
    return toRegistryEnvelope({ ...page, items: await this.presenter.toModelViews(page.items) }, 'models');
  }

  @Query(() => ModelView)
  async model(@Args('id', { type: () => ID }, new IdPipe('id')) id: string): Promise<object | undefined> {
    return this.presenter.toEntityView('model', await this.registry.getEntity('model', id));
  }

  @Query(() => ComponentPage)
  async components(@Args() { query, scope }: RegistryArgs): Promise<object> {
    const page = await this.registry.listComponents(query, scope);
    return toRegistryEnvelope(
      { ...page, items: await this.presenter.toComponentViewsWithoutSchemas(page.items) },
      'components',
    );
  }

  @Query(() => ComponentView)
  async component(@Args('id', { type: () => ID }, new IdPipe('id')) id: string): Promise<object | undefined> {
    const component = (await this.registry.getEntity('component', id)) as Component;
    return (await this.presenter.toComponentViewsWithoutSchemas([component]))[0];
  }

  @Query(() => MeshModelSummary)
  getMeshModelSummary(@Args('selector') { type }: MeshModelSummarySelector): Promise<MeshModelSummary> {
    return this.summaries.getCounts(type);
  }

  /** The summary at once, then whenever the registry has changed. */
  @Subscription(() => MeshModelSummary, { resolve: (summary: MeshModelSummary) => summary })
  subscribeMeshModelSummary(@Args('selector') { type }: MeshModelSummarySelector): AsyncIterator<MeshModelSummary> {
    return this.summaries.subscribe(type);
  }
}
