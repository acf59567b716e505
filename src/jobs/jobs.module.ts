import { Global, Module } from '@nestjs/common';
import { Housekeeping } from './housekeeping.js';
import { JobEndings } from './job-endings.js';
import { JobHandlers } from './job-handlers.js';
import { JobMetrics } from './job-metrics.js';
import { JobNotices } from './job-notices.js';
import { JobRunner } from './job-runner.js';
import { JobSettings } from './job-settings.js';
import { JobWaits } from './job-waits.js';
import { JobWorker } from './job-worker.js';
import { Jobs } from './jobs.js';
import { JobsStore } from './jobs.store.js';
import { LeasesStore } from './leases.store.js';
import { OperationsController } from './operations/operations.controller.js';
import { OperationsService } from './operations/operations.service.js';
import { OverdueJobs } from './overdue-jobs.js';
import { PeriodicJobs } from './periodic-jobs.js';

/** Durable work and the operations by which callers follow it; every feature may enqueue and handle jobs. */
@Global()
@Module({
  controllers: [OperationsController],
  providers: [
    Jobs,
    JobsStore,
    LeasesStore,
    JobNotices,
    JobSettings,
    JobHandlers,
    JobEndings,
    OverdueJobs,
    PeriodicJobs,
    JobRunner,
    JobWorker,
    JobWaits,
    JobMetrics,
    Housekeeping,
    OperationsService,
  ],
  exports: [Jobs],
})
export class JobsModule {}
