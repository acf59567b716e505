import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { CatalogSelector } from '../../catalog/catalog.inputs.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { CONTENTS_WEIGHT } from '../../core/graphql/limits/query-size.js';
import { CatalogFilterView } from '../filter.view.js';
import { FilterContentsService } from '../filter-contents.service.js';
import { FilterPresenter } from '../filter.presenter.js';
import { FilterCatalogService } from './filter-catalog.service.js';

@Resolver(() => CatalogFilterView)
export class FilterCatalogResolver {
  constructor(
    private readonly catalog: FilterCatalogService,
    private readonly presenter: FilterPresenter,
    private readonly contents: FilterContentsService,
  ) {}

  @Query(() => [CatalogFilterView], { description: 'The catalog of filters.' })
  async fetchFilterCatalogContent(
    @CurrentActor() actor: Actor,
    @Args('selector', { type: () => CatalogSelector, nullable: true, description: 'Which part of the catalog.' })
    selector: CatalogSelector | null,
  ): Promise<CatalogFilterView[]> {
    return this.presenter.toCatalogEntriesWithoutContents(
      await this.catalog.page(actor, CatalogSelector.toQuery(selector ?? null)),
    );
  }

  /** The module in base64, read only when it is selected. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  filter_file(@Parent() filter: CatalogFilterView, @Context() context: object): Promise<string> {
    return this.contents.loadModuleBase64(context, filter);
  }

  /** The configuration, read only when it is selected. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  filter_resource(@Parent() filter: CatalogFilterView, @Context() context: object): Promise<string> {
    return this.contents.loadConfiguration(context, filter);
  }
}
