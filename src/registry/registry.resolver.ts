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
  @Field(() => String, { nullable: true, description: 'Only this version.' })
  @IsOptional()
  version?: string;

  @Field(() => String, { nullable: true, description: 'enabled, disabled, ignored or all.' })
  @IsOptional()
  status?: string;

  @Field(() => String, { nullable: true, description: '"true": only annotations; "false": none of them.' })
  @IsOptional()
  annotations?: string;

  @Field(() => String, { nullable: true, description: 'Only of these categories.' })
  @IsOptional()
  category?: string;

  @Field(() => String, { nullable: true, description: 'Only of this model.' })
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

@InputType({ description: 'The requested counts.' })
export class MeshModelSummarySelector {
  @Field(() => String, { description: 'components, relationships or all' })
  @IsIn(SUMMARY_TYPES, { message: `must be one of ${SUMMARY_TYPES.join(', ')}` })
  type!: string;
}

@ObjectType({ description: 'The number of entities of one name.' })
class MeshModelCount {
  @TextField()
  name!: string;

  @IntField()
  count!: number;
}

/** Enabled components by model, enabled relationships by kind. */
@ObjectType({ description: 'Counts over the registry.' })
export class MeshModelSummary {
  @RecordsField(() => MeshModelCount, { nullable: true, description: 'Components by model.' })
  components!: MeshModelCount[] | null;

  @RecordsField(() => MeshModelCount, { nullable: true, description: 'Relationships by kind.' })
  relationships!: MeshModelCount[] | null;
}

@Resolver()
export class RegistryResolver {
  constructor(
    private readonly registry: RegistryService,
    private readonly presenter: RegistryPresenter,
    private readonly summaries: RegistrySummaryFeedService,
  ) {}

  @Query(() => ModelPage, { description: 'The models of the registry.' })
  async models(@Args() { query, scope }: RegistryArgs): Promise<object> {
    const page = await this.registry.listModels(query, scope);
    return toRegistryEnvelope({ ...page, items: await this.presenter.toModelViews(page.items) }, 'models');
  }

  @Query(() => ModelView, { description: 'A model by its id.' })
  async model(
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<object | undefined> {
    return this.presenter.toEntityView('model', await this.registry.getEntity('model', id));
  }

  @Query(() => ComponentPage, { description: 'The components of the registry.' })
  async components(@Args() { query, scope }: RegistryArgs): Promise<object> {
    const page = await this.registry.listComponents(query, scope);
    return toRegistryEnvelope(
      { ...page, items: await this.presenter.toComponentViewsWithoutSchemas(page.items) },
      'components',
    );
  }

  @Query(() => ComponentView, { description: 'A component by its id.' })
  async component(
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<object | undefined> {
    const component = (await this.registry.getEntity('component', id)) as Component;
    return (await this.presenter.toComponentViewsWithoutSchemas([component]))[0];
  }

  @Query(() => MeshModelSummary, { description: 'Counts over the registry.' })
  getMeshModelSummary(
    @Args('selector', { description: 'The requested counts.' }) { type }: MeshModelSummarySelector,
  ): Promise<MeshModelSummary> {
    return this.summaries.getCounts(type);
  }

  /** The summary immediately, then after each change of the registry that changes it. */
  @Subscription(() => MeshModelSummary, {
    description: 'Counts over the registry, now and after each change.',
    resolve: (summary: MeshModelSummary) => summary,
  })
  subscribeMeshModelSummary(
    @Args('selector', { description: 'The requested counts.' }) { type }: MeshModelSummarySelector,
  ): Promise<AsyncIterator<MeshModelSummary>> {
    return this.summaries.follow(type);
  }
}
