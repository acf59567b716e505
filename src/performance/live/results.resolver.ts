import { Args, Context, ID, Parent, Query, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { CONTENTS_WEIGHT } from '../../core/graphql/limits/query-size.js';
import { getLoader } from '../../core/graphql/loaders.js';
import { type Page, type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { PageFilter } from '../../core/listing/page-filter.js';
import { IdPipe } from '../../core/rest/id.pipe.js';
import { GraphQLMap } from '../../core/schema/scalars.js';
import { PerformanceQuery } from '../profiles/profile.inputs.js';
import type { PerformanceRun } from '../runs/run.entity.js';
import { PerformanceResultPage, PerformanceResultView } from '../runs/result.view.js';
import { RunsService } from '../runs/runs.service.js';
import { type RunScope, RunsStore } from '../runs/runs.store.js';
import type { ServerMetrics } from '../runs/server-metrics.js';
import { PerformanceFeedService } from './performance-feed.service.js';
import { timesOf } from './selected-times.js';

const toPage = (page: Page<PerformanceRun>): PageEnvelope =>
  toPageEnvelope(page, 'results', PerformanceResultView.fromEntity);

const ProfileArgument = () =>
  Args('profileID', { type: () => String, description: 'The id of the profile.' }, new IdPipe('profileID'));

@Resolver(() => PerformanceResultView)
export class ResultsResolver {
  constructor(
    private readonly runs: RunsService,
    private readonly store: RunsStore,
    private readonly feed: PerformanceFeedService,
  ) {}

  @Query(() => PerformanceResultPage, { description: 'The results of a performance profile.' })
  async fetchResults(
    @CurrentActor() actor: Actor,
    @Args('selector', { description: 'Which of them.' }) selector: PageFilter,
    @ProfileArgument() profileID: string,
  ): Promise<PageEnvelope> {
    const query = selector.applyTo(new PerformanceQuery());
    return toPage(await this.runs.listProfileResults(actor, profileID, query, timesOf(selector)));
  }

  @Query(() => PerformanceResultPage, { description: 'The results of all performance profiles that the caller sees.' })
  async fetchAllResults(
    @CurrentActor() actor: Actor,
    @Args('selector', { description: 'Which of them.' }) selector: PageFilter,
  ): Promise<PageEnvelope> {
    return toPage(await this.runs.listResults(actor, selector.applyTo(new PerformanceQuery()), timesOf(selector)));
  }

  @Query(() => PerformanceResultView, { description: 'A performance result by its id.' })
  async getPerfResult(
    @CurrentActor() actor: Actor,
    @Args('id', { type: () => ID, description: 'The id.' }, new IdPipe('id')) id: string,
  ): Promise<PerformanceResultView> {
    return PerformanceResultView.fromEntity(await this.runs.getResult(actor, id));
  }

  /** Sends the page first, then after each change of it, including the progress of running tests. */
  @Subscription(() => PerformanceResultPage, {
    description: 'Results of a performance profile, and the progress of running tests, now and after each change.',
    resolve: toPage,
  })
  async subscribePerfResults(
    @CurrentActor() actor: Actor,
    @Args('selector', { description: 'Which of them.' }) selector: PageFilter,
    @ProfileArgument() profileID: string,
  ): Promise<AsyncIterator<Page<PerformanceRun>>> {
    const scope: RunScope = { ...timesOf(selector), statuses: ['running', 'succeeded'] };
    const read = () => this.runs.listProfileResults(actor, profileID, selector.applyTo(new PerformanceQuery()), scope);
    return this.feed.followRuns(actor, read);
  }

  /** Series of Prometheus, loaded only when selected. */
  @ResolveField(() => GraphQLMap, { nullable: true, complexity: CONTENTS_WEIGHT })
  server_metrics(@Parent() { id }: PerformanceResultView, @Context() context: object): Promise<ServerMetrics | null> {
    return getLoader<ServerMetrics | null>(
      context,
      'performance server metrics',
      (ids) => this.store.findServerMetrics(ids),
      null,
    ).load(id);
  }
}
