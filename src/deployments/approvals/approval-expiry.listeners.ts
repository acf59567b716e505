import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { ApprovalExpiryService } from './approval-expiry.service.js';

const MIN_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 30_000;

/** Checks for expired requests periodically; the interval depends on the configured expiry. */
@Injectable()
export class ApprovalExpiryListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly expiry: ApprovalExpiryService,
    private readonly env: Env,
  ) {}

  onModuleInit(): void {
    const tenth = (this.env.APPROVAL_TTL * 1000) / 10;
    const interval = Math.round(Math.min(Math.max(tenth, MIN_INTERVAL_MS), MAX_INTERVAL_MS));
    this.jobs.schedule('approval-expiry', interval, ({ signal }) => this.expiry.expireOverdue(signal));
  }
}
