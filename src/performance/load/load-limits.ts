import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import type { Fault } from '../../core/errors/app-error.js';
import { limitRemedy } from '../../core/errors/limit-remedy.js';
import { parsePrometheusDuration } from '../../core/durations.js';
import type { LoadModel, RateStage } from './load-plan.js';

/** The load of a profile. */
export interface LoadWish {
  qps: number;
  stages: readonly RateStage[];
  concurrentRequest: number;
  duration: string;
  timeout: string;
}

/** The default load of a profile, within the limits. */
const DEFAULT_LOAD = { connections: 10, seconds: 30, timeout: '10s' };
const MAX_TIMEOUT_SECONDS = 60;

/** The operator's limits of load. */
@Injectable()
export class LoadLimits {
  constructor(private readonly env: Env) {}

  /** The maximum rate of a profile without a rate, in requests per second. */
  get maxRate(): number {
    return this.env.LIMIT_PERFORMANCE_RATE;
  }

  get maxRuns(): number {
    return this.env.LIMIT_PERFORMANCE_RUNS;
  }

  get maxRunsOfOrganization(): number {
    return this.env.LIMIT_PERFORMANCE_ORGANIZATION_RUNS;
  }

  /** The maximum number of connections of a run. */
  get maxConnections(): number {
    return this.env.LIMIT_PERFORMANCE_CONNECTIONS;
  }

  /** The default number of connections: as many as the rate needs in an open model, and otherwise a few. */
  connectionsOf(model: LoadModel): number {
    return model === 'open' ? 0 : Math.min(DEFAULT_LOAD.connections, this.maxConnections);
  }

  /** The default load of a profile without a rate. */
  get defaults(): { qps: number; stages: RateStage[]; duration: string; timeout: string } {
    const { seconds, timeout } = DEFAULT_LOAD;
    return { qps: 0, stages: [], duration: `${Math.min(seconds, this.env.LIMIT_PERFORMANCE_SECONDS)}s`, timeout };
  }

  /** Lists the fields that exceed the limits. */
  findFaults({ qps, stages, concurrentRequest, duration, timeout }: LoadWish): Fault[] {
    const { LIMIT_PERFORMANCE_RATE, LIMIT_PERFORMANCE_CONNECTIONS, LIMIT_PERFORMANCE_SECONDS } = this.env;
    const faults: Fault[] = [];
    const rates = [['/qps', qps], ...stages.map(({ rate }, index) => [`/stages/${index}/qps`, rate])] as [
      string,
      number,
    ][];
    for (const [pointer, rate] of rates)
      if (rate > LIMIT_PERFORMANCE_RATE)
        faults.push({
          pointer,
          detail: `must be at most ${LIMIT_PERFORMANCE_RATE} requests a second`,
          remedy: limitRemedy('Ask for less.', 'LIMIT_PERFORMANCE_RATE'),
        });
    const patience = parsePrometheusDuration(timeout);
    if (patience === undefined || patience < 1 || patience > MAX_TIMEOUT_SECONDS)
      faults.push({
        pointer: '/timeout',
        detail: `must be a duration from 1s to ${MAX_TIMEOUT_SECONDS}s, such as 10s`,
      });
    if (concurrentRequest > LIMIT_PERFORMANCE_CONNECTIONS)
      faults.push({
        pointer: '/concurrent_request',
        detail: `must be at most ${LIMIT_PERFORMANCE_CONNECTIONS} connections`,
        remedy: limitRemedy('Ask for less.', 'LIMIT_PERFORMANCE_CONNECTIONS'),
      });
    const seconds = parsePrometheusDuration(duration);
    if (seconds === undefined || seconds < 1 || seconds > LIMIT_PERFORMANCE_SECONDS)
      faults.push({
        pointer: stages.length > 0 ? '/stages' : '/duration',
        detail: `must ${stages.length > 0 ? 'last' : 'be a duration'} from 1s to ${LIMIT_PERFORMANCE_SECONDS}s${stages.length > 0 ? ' in all' : ', such as 30s or 1m30s'}`,
        remedy: limitRemedy('Ask for another duration.', 'LIMIT_PERFORMANCE_SECONDS'),
      });
    return faults;
  }
}
