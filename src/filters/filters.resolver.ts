import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { CONTENTS_WEIGHT } from '../core/graphql/limits/query-size.js';
import type { PageEnvelope } from '../core/listing/page.js';
import { PageFilter } from '../core/listing/page-filter.js';
import { WorkspaceOwnedQuery } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { FilterPage, FilterView } from './filter.view.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FilterPresenter } from './filter.presenter.js';
import { FiltersService } from './filters.service.js';

@Resolver(() => FilterView)
export class FiltersResolver {
  constructor(
    private readonly filters: FiltersService,
    private readonly presenter: FilterPresenter,
    private readonly contents: FilterContentsService,
  ) {}

  @Query(() => FilterPage, { description: 'The filters that the caller sees.' })
  async fetchFilters(
    @CurrentActor() actor: Actor,
    @Args('selector', { description: 'Which of them.' }) selector: PageFilter,
  ): Promise<PageEnvelope> {
    return this.presenter.toPageWithoutContents(
      await this.filters.list(actor, selector.applyWithFiltersTo(new WorkspaceOwnedQuery())),
    );
  }

  /** The module in base64, read only when it is selected. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  filter_file(@Parent() filter: FilterView, @Context() context: object): Promise<string> {
    return this.contents.loadModuleBase64(context, filter);
  }

  /** The configuration, read only when it is selected. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  filter_resource(@Parent() filter: FilterView, @Context() context: object): Promise<string> {
    return this.contents.loadConfiguration(context, filter);
  }
}
