import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { CatalogSelector } from '../../catalog/catalog.inputs.js';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { CONTENTS_WEIGHT } from '../../core/graphql/limits/query-size.js';
import { CatalogFilterView } from '../filter.view.js';
import { FilterContents } from '../filter-contents.js';
import { FilterPresenter } from '../filter-presenter.js';
import { FilterCatalog } from './filter-catalog.service.js';

@Resolver(() => CatalogFilterView)
export class FilterCatalogResolver {
  constructor(
    private readonly catalog: FilterCatalog,
    private readonly presenter: FilterPresenter,
    private readonly contents: FilterContents,
  ) {}

  @Query(() => [CatalogFilterView])
  async fetchFilterCatalogContent(
    @Caller() actor: Actor,
    @Args('selector', { type: () => CatalogSelector, nullable: true }) selector: CatalogSelector | null,
  ): Promise<CatalogFilterView[]> {
    return this.presenter.plainEntries(await this.catalog.page(actor, CatalogSelector.queryOf(selector ?? null)));
  }

  /** The module in base64, read only when it is asked for. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  filter_file(@Parent() filter: CatalogFilterView, @Context() context: object): Promise<string> {
    return this.contents.loadFile(context, filter);
  }

  /** The configuration, read only when it is asked for. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  filter_resource(@Parent() filter: CatalogFilterView, @Context() context: object): Promise<string> {
    return this.contents.loadResource(context, filter);
  }
}
