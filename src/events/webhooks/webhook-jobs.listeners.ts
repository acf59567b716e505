import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { JobHandler } from '../../jobs/job-handler.registry.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { DeliveryRunner } from './deliveries/delivery.runner.js';
import {
  DELIVERY_QUEUE,
  type DeliveryPayload,
  DeliveryWakesService,
  FAN_OUT_QUEUE,
  type FanOutPayload,
  SLOW_DELIVERY_QUEUE,
} from './deliveries/delivery-wakes.service.js';
import { FanOutService } from './deliveries/fan-out.service.js';
import { WebhookDeliveriesStore } from './deliveries/webhook-deliveries.store.js';
import { WebhookSettings } from './deliveries/webhook-settings.js';

const FAN_OUTS = 16;
/** Jobs wait for answers from outside most of the time: a place costs little. */
const DELIVERIES = 128;
const CLEAN_MS = 60 * 60 * 1000;
/** An endpoint that failed, or has nothing to send, lets others go first. */
const REST_MS = 1_000;

/** How the jobs of webhooks are done. */
@Injectable()
export class WebhookJobsListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly fanOut: FanOutService,
    private readonly runner: DeliveryRunner,
    private readonly wakes: DeliveryWakesService,
    private readonly log: WebhookDeliveriesStore,
    private readonly settings: WebhookSettings,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler<FanOutPayload>(FAN_OUT_QUEUE, {
      concurrency: FAN_OUTS,
      handle: (job, context) => this.fanOut.run(job, context),
    });
    const deliver: JobHandler<DeliveryPayload> = {
      concurrency: DELIVERIES,
      handle: async (job, context) => {
        const rests = await this.runner.run(job, context);
        await this.wakes.wakeEndpoint(job.payload.webhookId, rests ? REST_MS : 0);
      },
    };
    this.jobs.registerHandler(DELIVERY_QUEUE, deliver);
    this.jobs.registerHandler(SLOW_DELIVERY_QUEUE, deliver);
    this.jobs.schedule('webhook-sweep', this.settings.sweepMs, () => this.wakes.sweep());
    this.jobs.schedule('webhook-log', CLEAN_MS, () => this.log.deleteOld());
  }
}
