import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service.js';
import { AuditRetentionService } from './reports/audit-retention.service.js';
import { CheckpointsService } from './reports/checkpoints.service.js';

const HOUR_MS = 60 * 60 * 1000;

/** What is done to the audit every hour: heads of the chains are signed, and what is too old is removed up to one of them. */
@Injectable()
export class AuditJobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly checkpoints: CheckpointsService,
    private readonly retention: AuditRetentionService,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('audit-checkpoints', HOUR_MS, async ({ signal }) => {
      await this.checkpoints.signAll(signal);
      await this.retention.prune(signal);
    });
  }
}
