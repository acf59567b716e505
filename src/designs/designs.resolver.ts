import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { CONTENTS_WEIGHT } from '../core/graphql/limits/query-size.js';
import type { PageEnvelope } from '../core/listing/page.js';
import { PageFilter } from '../core/listing/page-filter.js';
import { DesignListQuery } from './design.inputs.js';
import { DesignPage, DesignView } from './design.view.js';
import { DesignPresenter } from './design.presenter.js';
import { DesignsService } from './designs.service.js';
import { DesignContentsLoader } from './contents/design-contents.loader.js';

@Resolver(() => DesignView)
export class DesignsResolver {
  constructor(
    private readonly designs: DesignsService,
    private readonly presenter: DesignPresenter,
    private readonly contents: DesignContentsLoader,
  ) {}

  @Query(() => DesignPage, { description: 'The designs that the caller sees.' })
  async fetchPatterns(
    @CurrentActor() actor: Actor,
    @Args('selector', { description: 'Page, search, order and filter.' }) selector: PageFilter,
  ): Promise<PageEnvelope> {
    const query = selector.applyWithFiltersTo(new DesignListQuery());
    return this.presenter.toEnvelope(await this.designs.list(actor, query));
  }

  /** The design file, read only when it is selected. */
  @ResolveField(() => String, { complexity: CONTENTS_WEIGHT })
  pattern_file(@Parent() design: DesignView, @Context() context: object): Promise<string> {
    return this.contents.loadText(context, design);
  }
}
