import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import type { Fault } from '../../core/errors/app-error.js';
import { limitRemedy } from '../../core/errors/limit-remedy.js';
import { parseDuration } from '../../monitoring/prometheus/query-time.js';

/** The load of a profile. */
export interface LoadWish {
  qps: number;
  concurrentRequest: number;
  duration: string;
}

/** The default load of a profile, within the limits. */
const DEFAULT_LOAD = { concurrentRequest: 10, qps: 0, seconds: 30 };

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

  /** The default load of a profile. */
  get defaults(): LoadWish {
    return {
      qps: DEFAULT_LOAD.qps,
      concurrentRequest: Math.min(DEFAULT_LOAD.concurrentRequest, this.env.LIMIT_PERFORMANCE_CONNECTIONS),
      duration: `${Math.min(DEFAULT_LOAD.seconds, this.env.LIMIT_PERFORMANCE_SECONDS)}s`,
    };
  }

  /** Lists the fields that exceed the limits. */
  findFaults({ qps, concurrentRequest, duration }: LoadWish): Fault[] {
    const { LIMIT_PERFORMANCE_RATE, LIMIT_PERFORMANCE_CONNECTIONS, LIMIT_PERFORMANCE_SECONDS } = this.env;
    const faults: Fault[] = [];
    if (qps > LIMIT_PERFORMANCE_RATE)
      faults.push({
        pointer: '/qps',
        detail: `must be at most ${LIMIT_PERFORMANCE_RATE} requests a second`,
        remedy: limitRemedy('Ask for less.', 'LIMIT_PERFORMANCE_RATE'),
      });
    if (concurrentRequest > LIMIT_PERFORMANCE_CONNECTIONS)
      faults.push({
        pointer: '/concurrent_request',
        detail: `must be at most ${LIMIT_PERFORMANCE_CONNECTIONS} connections`,
        remedy: limitRemedy('Ask for less.', 'LIMIT_PERFORMANCE_CONNECTIONS'),
      });
    const seconds = parseDuration(duration);
    if (seconds === undefined || seconds < 1 || seconds > LIMIT_PERFORMANCE_SECONDS)
      faults.push({
        pointer: '/duration',
        detail: `must be a duration from 1s to ${LIMIT_PERFORMANCE_SECONDS}s, such as 30s or 1m30s`,
        remedy: limitRemedy('Ask for another duration.', 'LIMIT_PERFORMANCE_SECONDS'),
      });
    return faults;
  }
}
