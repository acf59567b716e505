import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RecordTotalsStore } from '../core/records/record-totals.store.js';
import { IdempotencyKeysStore } from '../core/rest/idempotency-keys.store.js';
import { JobsService } from './jobs.service.js';
import { JobsStore } from './jobs.store.js';

/** Every change of a record inserts a row that each list sums, so they are merged often. */
const FOLD_MS = 10_000;
const HOUR_MS = 3_600_000;
/** Days until finished jobs are deleted: those that users requested, and those of the system. */
const RETENTION_DAYS = { requested: 14, system: 2 };

/** Deletes expired jobs, and merges the stored numbers of records. */
@Injectable()
export class JobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly keys: IdempotencyKeysStore,
    private readonly store: JobsStore,
    private readonly totals: RecordTotalsStore,
  ) {}

  onModuleInit(): void {
    const { jobs, keys, store, totals } = this;
    jobs.schedule('fold.totals', FOLD_MS, () => totals.fold());
    jobs.schedule('purge.idempotency-keys', HOUR_MS, () => keys.purge());
    jobs.schedule('purge.jobs', HOUR_MS, async ({ signal }) => {
      while ((await store.deleteFinished(RETENTION_DAYS)) > 0) signal.throwIfAborted();
    });
  }
}
