import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { QuotaStatus } from '../../workspaces/quotas/quota.js';
import { WorkspaceQuotasService } from '../../workspaces/quotas/workspace-quotas.service.js';
import type { Workspace } from '../../workspaces/workspace.entity.js';
import { DeploymentsStore } from '../deployments.store.js';

/** Limits the deployments of a workspace per day. Undeployments and rollbacks do not count. */
@Injectable()
export class DeploymentQuotaService implements OnModuleInit {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly quotas: WorkspaceQuotasService,
  ) {}

  onModuleInit(): void {
    this.quotas.registerCounter('max_deployments_per_day', (id) => this.deployments.countToday(id));
  }

  /**
   * @param workspace locked by the open transaction
   * @throws Conflict QUOTA_EXCEEDED
   */
  assertOneMore(workspace: Workspace): Promise<void> {
    return this.quotas.assertWithinLimit(workspace, 'max_deployments_per_day');
  }

  getStatus(actor: Actor, workspaceId: string): Promise<QuotaStatus> {
    return this.quotas.getStatus(actor, workspaceId, 'max_deployments_per_day');
  }
}
