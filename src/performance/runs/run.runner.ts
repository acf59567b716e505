import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { Forbidden, NotFound, RemoteFailure } from '../../core/errors/app-error.js';
import type { Job } from '../../jobs/job.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import { JobActorsService } from '../../organizations/users/job-actors.service.js';
import { GeneratorProcess, type LoadObserver } from '../load/generator-process.js';
import type { GeneratorTask } from '../load/load-plan.js';
import { MeasurementCollector, mergeSlices, type Measurement, sumOf } from '../load/measurement.js';
import { summarize, toRunnerResults } from '../load/runner-results.js';
import { checkBudget } from '../profiles/budget.js';
import type { PerformanceProfile } from '../profiles/profile.entity.js';
import { ProfilesService } from '../profiles/profiles.service.js';
import { ProgressRecorder } from './progress-recorder.js';
import { RunCompletionService } from './run-completion.service.js';
import type { PerformanceRun, RunProgress } from './run.entity.js';
import type { RunPayload } from './run-job.js';
import { RunPlansService } from './run-plans.service.js';
import { RunsStore } from './runs.store.js';
import { ServerMetricsService } from './server-metrics.service.js';

const SYSTEM = Actor.system('performance runs');
/** The interval at which the measurement of a run is kept. */
const KEEP_MS = 2_000;
/** The interval at which the requester's rights are checked during a run. */
const AUTHORIZE_MS = 5_000;

/** Executes runs as jobs. */
@Injectable()
export class RunRunner {
  constructor(
    private readonly runs: RunsStore,
    private readonly profiles: ProfilesService,
    private readonly plans: RunPlansService,
    private readonly completion: RunCompletionService,
    private readonly actors: JobActorsService,
    private readonly metrics: ServerMetricsService,
  ) {}

  /** Repeats the checks of the request. @throws AppError when the run fails, JobAborted */
  async run(job: Job<RunPayload>, context: JobContext): Promise<{ result: string }> {
    const { actor, profile } = await this.authorize(job);
    const queued = await this.runs.find(SYSTEM, job.id);
    if (!queued) throw new NotFound('performance run', job.id);
    const { generator, task } = await this.plans.toTask(profile, queued.plan);
    const startedAt = new Date();
    const run = await this.completion.start(job.id, { generator, testStartTime: startedAt });
    if (!run) throw new NotFound('performance run', job.id);
    const collector = new MeasurementCollector();
    const progress = new ProgressRecorder(run.plan.seconds);
    const report = (value: RunProgress): void => {
      context.reportProgress(value);
      // A write that fails is made good by the next second.
      this.runs.saveProgress(run, value).catch(() => undefined);
    };
    const keep = (): Promise<void> => this.keepMeasurement(run, collector);
    const keeping = setInterval(() => void keep(), KEEP_MS);
    try {
      await this.drive(job, task, context.signal, {
        report: (slice) => {
          collector.add(slice);
          report(progress.add(slice));
        },
        tick: (seconds) => report(progress.tick(seconds)),
        finish: (totals) => collector.finish(totals),
      });
    } catch (error) {
      await keep();
      throw error;
    } finally {
      clearInterval(keeping);
    }
    const measurement = collector.toMeasurement();
    assertAnswered(run, measurement);
    const summary = summarize(measurement, run.plan);
    const fields: Partial<PerformanceRun> = {
      ...{ measurement, summary, generator },
      runnerResults: toRunnerResults(measurement, { name: run.name, plan: run.plan, generator, startedAt }),
      serverMetrics: await this.metrics.read(actor, profile, startedAt, new Date()),
      budget: profile.budget && checkBudget(profile.budget, summary),
    };
    await this.completion.succeed(run.id, fields, context.assertLeased);
    return { result: run.id };
  }

  /** Keeps what was measured so far, so that a run which is cancelled or whose server dies has a result of its part. */
  private async keepMeasurement(run: PerformanceRun, collector: MeasurementCollector): Promise<void> {
    const measurement = collector.toMeasurement();
    if (mergeSlices(measurement.slices).latencies.count === 0) return;
    const lasted = { seconds: Math.min(run.plan.seconds, secondsUntilEnd(measurement)) };
    // A write that fails is made good by the next one.
    await this.runs
      .saveMeasurement(run, { measurement, summary: summarize(measurement, lasted) })
      .catch(() => undefined);
  }

  /** Drives the load, until the end or until the requester loses the right to run the profile. @throws AppError, JobAborted */
  private async drive(
    job: Job<RunPayload>,
    task: GeneratorTask,
    signal: AbortSignal,
    observer: LoadObserver,
  ): Promise<void> {
    const refused = new AbortController();
    const authorizeAgain = (): Promise<void> =>
      this.authorize(job).then(
        () => undefined,
        (error: unknown) => {
          // After an error, such as a database outage, the next interval checks again.
          if (error instanceof Forbidden || error instanceof NotFound) refused.abort(error);
        },
      );
    const authorizing = setInterval(() => void authorizeAgain(), AUTHORIZE_MS);
    try {
      await new GeneratorProcess(task).run(AbortSignal.any([signal, refused.signal]), observer);
    } finally {
      clearInterval(authorizing);
    }
  }

  /** Returns the requester with their current rights, and the profile. @throws NotFound, Forbidden */
  private async authorize(job: Job<RunPayload>): Promise<{ actor: Actor; profile: PerformanceProfile }> {
    const actor = await this.actors.resolve(job);
    return { actor, profile: await this.profiles.getAuthorized(actor, job.payload.profile, 'run') };
  }
}

const secondsUntilEnd = ({ slices }: Measurement): number => {
  const last = slices.at(-1);
  return last ? (last.start + last.length) / 1_000 : 0;
};

/** A target that has answered nothing has no latency: the run failed, and says what went wrong most. */
function assertAnswered({ plan }: PerformanceRun, { slices }: Measurement): void {
  const { latencies, errors } = mergeSlices(slices);
  if (latencies.count > 0) return;
  const [kind = 'nothing came back'] = Object.entries(errors).sort(([, a], [, b]) => b - a)[0] ?? [];
  const { host } = new URL(plan.endpoint);
  throw new RemoteFailure('TARGET_FAILED', `${host} answered none of ${sumOf(errors)} requests: ${kind}`, {
    errors: Object.entries(errors).map(([name, count]) => ({ detail: `${name}: ${count}` })),
    remedy: 'Check that the address is right, and that the server behind it responds.',
  });
}
