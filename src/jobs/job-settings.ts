import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';

/** The times by which workers live, in milliseconds. */
@Injectable()
export class JobSettings {
  /** A job whose worker was not heard of for so long is taken by another. */
  leaseMs = 15_000;
  heartbeatMs = 5_000;
  /** How often it is looked whether the workers that hold jobs live. */
  presenceMs = 1_000;
  /** How often workers and waiting requests look for themselves, should a notification have been missed. */
  pollMs = 1_000;
  /** At most one write of progress in so long. */
  progressMs = 500;
  /** On shutdown jobs may run on for so long before they are aborted. */
  drainMs: number;
  /** Aborted jobs have so long to come to an end before they are given up to other replicas. */
  graceMs = 1_500;

  /** The delay before a shutdown is a part of its time. */
  constructor(env: Env) {
    this.drainMs = 20_000 - env.shutdownDelayMs;
  }
}
