import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Conflict } from '../../core/errors/app-error.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import type { Measurement } from '../load/measurement.js';
import type { PerformanceRun } from '../runs/run.entity.js';
import { RunsService } from '../runs/runs.service.js';
import { compareTask, type Comparison } from './compare.js';
import { differ, isThroughputComparable, warningsOfComparison } from './comparison-warnings.js';

/** Two results and their comparison. */
export interface ComparedRuns {
  a: PerformanceRun;
  b: PerformanceRun;
  measurements: { a: Measurement; b: Measurement };
  comparison: Comparison;
  /** The fields in which their plans differ. */
  planDifferences: string[];
  warnings: string[];
}

const NOTHING: Measurement = { slices: [] };

/** Compares results that the caller may see. */
@Injectable()
export class ComparisonsService {
  constructor(
    private readonly runs: RunsService,
    private readonly pool: WorkerPool,
  ) {}

  /** @throws NotFound when the actor may not see one of them; Conflict NO_BASELINE */
  async compare(actor: Actor, ids: { a?: string; b: string }): Promise<ComparedRuns> {
    const b = await this.runs.getDetails(actor, ids.b);
    const baseline = ids.a ?? (await this.runs.findBaseline(actor, b.run));
    if (baseline === undefined)
      throw new Conflict('NO_BASELINE', 'the profile has no good result before this one', {
        remedy: 'Send a, the result to compare with.',
      });
    const a = await this.runs.getDetails(actor, baseline);
    const measurements = { a: a.details.measurement ?? NOTHING, b: b.details.measurement ?? NOTHING };
    const ignoresThroughput = !isThroughputComparable(a.run.plan, b.run.plan);
    const comparison = await this.pool.run(compareTask, { ...measurements, ignoresThroughput }, { lane: 'own' });
    return {
      ...{ a: a.run, b: b.run, measurements, comparison },
      planDifferences: differ(a.run, b.run),
      warnings: warningsOfComparison(a.run, b.run, measurements),
    };
  }
}
