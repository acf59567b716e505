import { Args, Context, Parent, Query, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { CONTENTS_WEIGHT } from '../../core/graphql/limits/query-size.js';
import { getLoader } from '../../core/graphql/loaders.js';
import { type Page, type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { PageFilter } from '../../core/listing/page-filter.js';
import type { PerformanceProfile } from '../profiles/profile.entity.js';
import { PerformanceQuery } from '../profiles/profile.inputs.js';
import { PerformanceProfilePage, PerformanceProfileView } from '../profiles/profile.view.js';
import { ProfileContentsService } from '../profiles/profile-contents.service.js';
import { ProfilesService } from '../profiles/profiles.service.js';
import { PerformanceFeedService } from './performance-feed.service.js';
import { timesOf } from './selected-times.js';

const toPage = (page: Page<PerformanceProfile>): PageEnvelope =>
  toPageEnvelope(page, 'profiles', (profile) => PerformanceProfileView.fromProfile({ profile }));

@Resolver(() => PerformanceProfileView)
export class ProfilesResolver {
  constructor(
    private readonly profiles: ProfilesService,
    private readonly contents: ProfileContentsService,
    private readonly feed: PerformanceFeedService,
  ) {}

  @Query(() => PerformanceProfilePage, { description: 'The performance profiles that the caller sees.' })
  async getPerformanceProfiles(
    @CurrentActor() actor: Actor,
    @Args('selector', { description: 'Which of them.' }) selector: PageFilter,
  ): Promise<PageEnvelope> {
    return toPage(await this.profiles.list(actor, selector.applyTo(new PerformanceQuery()), timesOf(selector)));
  }

  /** Sends the page first, then after each change of it. */
  @Subscription(() => PerformanceProfilePage, {
    description: 'Performance profiles, now and after each change.',
    resolve: toPage,
  })
  subscribePerfProfiles(
    @CurrentActor() actor: Actor,
    @Args('selector', { description: 'Which of them.' }) selector: PageFilter,
  ): Promise<AsyncIterator<Page<PerformanceProfile>>> {
    const read = () => this.profiles.list(actor, selector.applyTo(new PerformanceQuery()), timesOf(selector));
    return this.feed.followProfiles(actor, read);
  }

  /** The body of the requests, loaded only when selected. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  request_body(@Parent() { id }: PerformanceProfileView, @Context() context: object): Promise<string> {
    return getLoader(context, 'performance profile body', (ids) => this.contents.readBodies(ids), '').load(id);
  }
}
