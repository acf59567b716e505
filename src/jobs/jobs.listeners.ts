import { Injectable } from '@nestjs/common';
import { IdempotencyKeysStore } from '../core/rest/idempotency-keys.store.js';
import { JobsService } from './jobs.service.js';
import { JobsStore } from './jobs.store.js';

const HOUR_MS = 3_600_000;
/** How long jobs can be read after their end. */
const RETENTION_DAYS = { requested: 14, system: 2 };

/** Forgets what nobody asks for any more. */
@Injectable()
export class JobsListeners {
  constructor(jobs: JobsService, keys: IdempotencyKeysStore, store: JobsStore) {
    jobs.schedule('purge.idempotency-keys', HOUR_MS, () => keys.purge());
    jobs.schedule('purge.jobs', HOUR_MS, async ({ signal }) => {
      while ((await store.deleteFinished(RETENTION_DAYS)) > 0) signal.throwIfAborted();
    });
  }
}
