import { Args, Parent, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import type { Envelope } from '../../core/listing/page.js';
import { PageFilter } from '../../core/listing/page-filter.js';
import { DesignPresenter } from '../../designs/design-presenter.js';
import { DesignPage } from '../../designs/design.view.js';
import { FilterPresenter } from '../filter-presenter.js';
import { FilterPage } from '../filter.view.js';
import { ConfigurationFeed } from './configuration-feed.js';
import type { ConfigurationPages } from './configuration-follower.js';
import { ConfigurationPage } from './configuration.view.js';

@Resolver(() => ConfigurationPage)
export class ConfigurationResolver {
  constructor(
    private readonly feed: ConfigurationFeed,
    private readonly designs: DesignPresenter,
    private readonly filters: FilterPresenter,
  ) {}

  /** Both pages at once, then whenever a change of a design or a filter makes them others. */
  @Subscription(() => ConfigurationPage, { resolve: (pages: ConfigurationPages) => pages })
  subscribeConfiguration(
    @Caller() actor: Actor,
    @Args('patternSelector') patternSelector: PageFilter,
    @Args('filterSelector') filterSelector: PageFilter,
  ): Promise<AsyncIterator<ConfigurationPages>> {
    return this.feed.follow(actor, patternSelector, filterSelector);
  }

  @ResolveField('patterns', () => DesignPage, { nullable: true })
  patternPage(@Parent() { patterns }: ConfigurationPages): Promise<Envelope> {
    return this.designs.page(patterns);
  }

  @ResolveField('filters', () => FilterPage, { nullable: true })
  filterPage(@Parent() { filters }: ConfigurationPages): Envelope {
    return this.filters.plainPage(filters);
  }
}
