import { Injectable } from '@nestjs/common';
import { IdempotencyKeys } from '../core/rest/idempotency-keys.js';
import { Jobs } from './jobs.js';
import { JobsStore } from './jobs.store.js';

const HOUR_MS = 3_600_000;
/** How long jobs can be read after their end. */
const KEPT_DAYS = { requested: 14, system: 2 };

/** Forgets what nobody asks for any more. */
@Injectable()
export class Housekeeping {
  constructor(jobs: Jobs, keys: IdempotencyKeys, store: JobsStore) {
    jobs.every('purge.idempotency-keys', HOUR_MS, () => keys.purge());
    jobs.every('purge.jobs', HOUR_MS, async ({ signal }) => {
      while ((await store.purge(KEPT_DAYS)) > 0) signal.throwIfAborted();
    });
  }
}
