import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service.js';
import { EventRetentionService } from './event-retention.service.js';

const HOUR_MS = 60 * 60 * 1000;

/** Removes expired events every hour. */
@Injectable()
export class EventJobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly retention: EventRetentionService,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('event-retention', HOUR_MS, ({ signal }) => this.retention.prune(signal));
  }
}
