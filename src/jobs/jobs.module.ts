import { Global, Module } from '@nestjs/common';
import { RecordTotalsStore } from '../core/records/record-totals.store.js';
import { JobsListeners } from './jobs.listeners.js';
import { JobCompletionService } from './job-completion.service.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { JobMetrics } from './job-metrics.js';
import { JobNotifications } from './job-notifications.js';
import { JobRunner } from './job-runner.js';
import { JobSettlementService } from './job-settlement.service.js';
import { JobSettings } from './job-settings.js';
import { JobWaiter } from './job-waiter.js';
import { JobWorker } from './job-worker.js';
import { JobsService } from './jobs.service.js';
import { JobsStore } from './jobs.store.js';
import { LeasesStore } from './leases.store.js';
import { OperationsController } from './operations/operations.controller.js';
import { OperationsService } from './operations/operations.service.js';
import { OverdueJobsService } from './overdue-jobs.service.js';
import { PeriodicJobsService } from './periodic-jobs.service.js';
import { RunningJobsService } from './running-jobs.service.js';

/** The job queue and operations; every feature may enqueue and handle jobs. */
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
    JobSettlementService,
    JobRunner,
    RunningJobsService,
    JobWorker,
    JobWaiter,
    JobMetrics,
    JobsListeners,
    RecordTotalsStore,
    OperationsService,
  ],
  exports: [JobsService, JobSettings],
})
export class JobsModule {}
