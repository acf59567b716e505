import { Global, Module } from '@nestjs/common';
import { JobsListeners } from './housekeeping.js';
import { JobCompletionService } from './job-endings.js';
import { JobHandlerRegistry } from './job-handlers.js';
import { JobMetrics } from './job-metrics.js';
import { JobNotifications } from './job-notices.js';
import { JobRunner } from './job-runner.js';
import { JobSettings } from './job-settings.js';
import { JobWaiter } from './job-waits.js';
import { JobWorker } from './job-worker.js';
import { JobsService } from './jobs.js';
import { JobsStore } from './jobs.store.js';
import { LeasesStore } from './leases.store.js';
import { OperationsController } from './operations/operations.controller.js';
import { OperationsService } from './operations/operations.service.js';
import { OverdueJobsService } from './overdue-jobs.js';
import { PeriodicJobsService } from './periodic-jobs.js';

/** Durable work and the operations by which callers follow it; every feature may enqueue and handle jobs. */
@Global()
@Module({
  controllers: [OperationsController],
  providers: [
    JobsService,
    JobsStore,
    LeasesStore,
    JobNotifications,
    JobSettings,
    JobHandlerRegistry,
    JobCompletionService,
    OverdueJobsService,
    PeriodicJobsService,
    JobRunner,
    JobWorker,
    JobWaiter,
    JobMetrics,
    JobsListeners,
    OperationsService,
  ],
  exports: [JobsService],
})
export class JobsModule {}
