import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { EventBus } from '../../core/events/event-bus.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { type ResourceChange, ResourceChanges } from '../../kubernetes/resources/resource-changes.js';
import {
  DeploymentFailed,
  DeploymentRolledBack,
  DeploymentSucceeded,
  DesignUndeployed,
  type DeploymentEvent,
} from '../deployment.events.js';
import { DeployedDriftStore } from './deployed-drift.store.js';
import { DRIFT_QUEUE, type DriftPayload, HEAL_QUEUE, SelfHealingService, SETTLE_MS } from './self-healing.service.js';

const CONCURRENCY = 2;
/** Workers that are reserved for organizations without a running job. */
const RESERVE = 4;
/** Interval of the periodic check, which finds changes that no watch reported. */
const SWEEP_MS = 600_000;
const SWEPT_AT_ONCE = 200;

/**
 * Schedules drift checks while clusters are watched: when a watch reports a change of a deployed object, when a deployment ends,
 * and periodically.
 */
@Injectable()
export class DriftListeners implements OnModuleInit {
  constructor(
    private readonly healing: SelfHealingService,
    private readonly drifts: DeployedDriftStore,
    private readonly changes: ResourceChanges,
    private readonly events: EventBus,
    private readonly jobs: JobsService,
    private readonly env: Env,
  ) {}

  onModuleInit(): void {
    const { healing, jobs } = this;
    jobs.registerHandler<DriftPayload>(DRIFT_QUEUE, {
      concurrency: CONCURRENCY,
      reserve: RESERVE,
      handle: ({ payload }, { signal }) => healing.check(payload, signal),
    });
    jobs.registerHandler<DriftPayload>(HEAL_QUEUE, {
      concurrency: CONCURRENCY,
      reserve: RESERVE,
      handle: ({ payload }, { signal }) => healing.heal(payload, signal),
    });
    if (!this.env.CLUSTER_WATCH) return;
    this.changes.register((changes) => this.checkChanged(changes));
    const handleEnd = (event: DeploymentEvent): Promise<void> => this.checkDeployment(event);
    for (const type of [DeploymentSucceeded, DeploymentFailed]) this.events.after(type, handleEnd);
    for (const type of [DeploymentRolledBack, DesignUndeployed]) this.events.after(type, handleEnd);
    jobs.schedule('drift', SWEEP_MS, async () => healing.checkSoon(await this.drifts.listDue(SWEPT_AT_ONCE)));
  }

  private async checkChanged(changes: ResourceChange[]): Promise<void> {
    const destinations = changes.flatMap(({ organizationId, designId, environmentId, connectionId }) =>
      environmentId ? [{ organizationId, designId, environmentId, connectionId }] : [],
    );
    await this.healing.checkChanged(destinations);
  }

  private checkDeployment({ deployment }: DeploymentEvent): Promise<void> {
    const { organizationId, designId, environmentId, connectionIds } = deployment;
    return this.healing.checkSoon(
      connectionIds.map((connectionId) => ({ organizationId, designId, environmentId, connectionId })),
      SETTLE_MS,
    );
  }
}
