import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { CONTENTS_WEIGHT } from '../core/graphql/limits/query-size.js';
import type { Envelope } from '../core/listing/page.js';
import { PageFilter } from '../core/listing/page-filter.js';
import { WorkspaceRecordQuery } from '../workspaces/records/workspace-record.query.js';
import { FilterPage, FilterView } from './filter.view.js';
import { FilterContents } from './filter-contents.js';
import { FilterPresenter } from './filter-presenter.js';
import { FiltersService } from './filters.service.js';

@Resolver(() => FilterView)
export class FiltersResolver {
  constructor(
    private readonly filters: FiltersService,
    private readonly presenter: FilterPresenter,
    private readonly contents: FilterContents,
  ) {}

  @Query(() => FilterPage)
  async fetchFilters(@Caller() actor: Actor, @Args('selector') selector: PageFilter): Promise<Envelope> {
    return this.presenter.plainPage(await this.filters.list(actor, selector.intoNarrowed(new WorkspaceRecordQuery())));
  }

  /** The module in base64, read only when it is asked for. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  filter_file(@Parent() filter: FilterView, @Context() context: object): Promise<string> {
    return this.contents.loadFile(context, filter);
  }

  /** The configuration, read only when it is asked for. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  filter_resource(@Parent() filter: FilterView, @Context() context: object): Promise<string> {
    return this.contents.loadResource(context, filter);
  }
}
