import { Args, Parent, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { PageFilter } from '../../core/listing/page-filter.js';
import { DesignPresenter } from '../../designs/design.presenter.js';
import { DesignPage } from '../../designs/design.view.js';
import { FilterPresenter } from '../filter.presenter.js';
import { FilterPage } from '../filter.view.js';
import { ConfigurationFeedService, type ConfigurationPages } from './configuration-feed.service.js';
import { ConfigurationPage } from './configuration.view.js';

@Resolver(() => ConfigurationPage)
export class ConfigurationResolver {
  constructor(
    private readonly feed: ConfigurationFeedService,
    private readonly designs: DesignPresenter,
    private readonly filters: FilterPresenter,
  ) {}

  /** Sends both pages immediately, and again after each change that affects them. */
  @Subscription(() => ConfigurationPage, {
    description: 'Designs and filters, now and after each change.',
    resolve: (pages: ConfigurationPages) => pages,
  })
  subscribeConfiguration(
    @CurrentActor() actor: Actor,
    @Args('patternSelector', { description: 'Which designs.' }) patternSelector: PageFilter,
    @Args('filterSelector', { description: 'Which filters.' }) filterSelector: PageFilter,
  ): Promise<AsyncIterator<ConfigurationPages>> {
    return this.feed.follow(actor, patternSelector, filterSelector);
  }

  @ResolveField('patterns', () => DesignPage, { nullable: true })
  patternPage(@Parent() { patterns }: ConfigurationPages): Promise<PageEnvelope> {
    return this.designs.toEnvelope(patterns);
  }

  @ResolveField('filters', () => FilterPage, { nullable: true })
  filterPage(@Parent() { filters }: ConfigurationPages): PageEnvelope {
    return this.filters.toPageWithoutContents(filters);
  }
}
