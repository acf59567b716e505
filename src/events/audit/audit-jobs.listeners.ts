import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service.js';
import { AuditRetentionService } from './reports/audit-retention.service.js';
import { CheckpointsService } from './reports/checkpoints.service.js';

const HOUR_MS = 60 * 60 * 1000;

/** Signs the heads of all chains every hour, then removes expired entries up to a signed head. */
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
