import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { DeploymentCancelled } from '../deployment.events.js';
import { DeploymentsStore } from '../deployments.store.js';

const SYSTEM = Actor.system('approval expiry');

/** Maximum number of requests per query. */
const BATCH = 100;

/** Ends deployments whose request for approval has expired. */
@Injectable()
export class ApprovalExpiryService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async expireOverdue(signal: AbortSignal): Promise<void> {
    for (let ids = await this.findOverdue(); ids.length > 0; ids = await this.findOverdue())
      for (const id of ids) {
        signal.throwIfAborted();
        await this.expire(id);
      }
  }

  /** Each runs in a transaction of its own, so that a concurrent approval comes either before it or too late. */
  private async expire(id: string): Promise<void> {
    await this.unit.run(async () => {
      const deployment = await this.deployments.lock(SYSTEM, id);
      if (deployment?.status !== 'pending_approval') return;
      const failure = {
        status: 409,
        code: 'APPROVAL_EXPIRED',
        detail: 'the deployment waited too long for its approvals',
        remedy: 'Request it again.',
      };
      await this.deployments.update(deployment, { status: 'cancelled', failure, finishedAt: new Date() });
      const { code, detail: reason } = failure;
      await this.events.publish(new DeploymentCancelled(SYSTEM, deployment, { code, reason }));
    });
  }

  private findOverdue(): Promise<string[]> {
    return this.unit.runAsSystem('overdue approvals', () => this.deployments.findOverdueApprovals(BATCH));
  }
}
