import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service.js';
import { FanOutService } from './deliveries/fan-out.service.js';
import { WebhookDeliveriesStore } from './deliveries/webhook-deliveries.store.js';
import { WebhookSettings } from './deliveries/webhook-settings.js';

const CLEAN_MS = 60 * 60 * 1000;

/** Schedules the periodic jobs of webhooks, which run in one process at a time. */
@Injectable()
export class WebhookJobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly fanOut: FanOutService,
    private readonly log: WebhookDeliveriesStore,
    private readonly settings: WebhookSettings,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('webhook-sweep', this.settings.sweepMs, () => this.fanOut.sweep());
    this.jobs.schedule('webhook-log', CLEAN_MS, ({ signal }) => this.log.deleteOld(signal));
  }
}
