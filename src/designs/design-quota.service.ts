import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { WorkspaceQuotasService } from '../workspaces/quotas/workspace-quotas.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { DesignsStore } from './designs.store.js';

/** The quota of designs of a workspace. */
@Injectable()
export class DesignQuotaService implements OnModuleInit {
  constructor(
    private readonly designs: DesignsStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
  ) {}

  onModuleInit(): void {
    this.quotas.registerCounter('max_designs', (id) => this.designs.countByWorkspace(id));
  }

  /**
   * Locks a workspace, in which a design will be created, until the end of the transaction.
   * @throws Conflict when it is archived or its quota is used up
   */
  async lockForOneMore(actor: Actor, workspaceId: string): Promise<void> {
    await this.quotas.assertWithinLimit(await this.workspaces.lockActive(actor, workspaceId), 'max_designs');
  }
}
