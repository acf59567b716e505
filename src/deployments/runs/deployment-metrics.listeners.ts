import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { Metrics } from '../../core/telemetry/metrics.service.js';
import { DeploymentEvent } from '../deployment.events.js';

/** Records metrics of deployments that end. */
@Injectable()
export class DeploymentMetricsListeners implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.after(DeploymentEvent, ({ deployment }) => {
      const { action, status, createdAt, startedAt, finishedAt } = deployment;
      if (!finishedAt) return;
      const seconds = (finishedAt.getTime() - (startedAt ?? createdAt).getTime()) / 1000;
      this.metrics.deployments.observe({ action, status }, Math.max(seconds, 0));
    });
  }
}
