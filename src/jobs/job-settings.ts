import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';

/** Timing of workers, in milliseconds. */
@Injectable()
export class JobSettings {
  /** The duration of leases: a job whose lease was not renewed is taken over. */
  leaseMs = 15_000;
  heartbeatMs = 5_000;
  /** The polling interval of workers and waiting requests, in case a notification was lost. */
  pollMs = 1_000;
  /** The minimum interval between writes of progress. */
  progressMs = 500;
  /** How long running jobs may continue on shutdown before they are aborted. */
  drainMs: number;
  /** How long aborted jobs may take to end before they are released to other replicas. */
  graceMs = 1_500;

  /** The shutdown delay reduces the drain time. */
  constructor(env: Env) {
    this.drainMs = 18_000 - env.shutdownDelayMs;
  }
}
