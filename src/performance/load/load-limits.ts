import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import type { Fault } from '../../core/errors/app-error.js';
import { limitRemedy } from '../../core/errors/limit-remedy.js';
import { parseDuration } from '../../monitoring/prometheus/query-time.js';

/** What a profile asks of a load generator. */
export interface LoadWish {
  qps: number;
  concurrentRequest: number;
  duration: string;
}

/** What a profile asks for that says nothing else, as far as it is within the bounds. */
const DEFAULT_LOAD = { concurrentRequest: 10, qps: 0, seconds: 30 };

/** The bounds that the operator has set to load. */
@Injectable()
export class LoadLimits {
  constructor(private readonly env: Env) {}

  /** Requests a second that a profile without a rate makes at most. */
  get maxRate(): number {
    return this.env.LIMIT_PERFORMANCE_RATE;
  }

  get maxRuns(): number {
    return this.env.LIMIT_PERFORMANCE_RUNS;
  }

  get maxRunsOfOrganization(): number {
    return this.env.LIMIT_PERFORMANCE_ORGANIZATION_RUNS;
  }

  /** What a profile asks for that says nothing else. */
  get defaults(): LoadWish {
    return {
      qps: DEFAULT_LOAD.qps,
      concurrentRequest: Math.min(DEFAULT_LOAD.concurrentRequest, this.env.LIMIT_PERFORMANCE_CONNECTIONS),
      duration: `${Math.min(DEFAULT_LOAD.seconds, this.env.LIMIT_PERFORMANCE_SECONDS)}s`,
    };
  }

  /** What is beyond the bounds, by field. */
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
