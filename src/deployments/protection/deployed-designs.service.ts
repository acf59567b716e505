import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Forbidden } from '../../core/errors/app-error.js';
import type { Design } from '../../designs/design.entity.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import { ApprovalRulesService } from '../admission/approval-rules.service.js';
import { inUseConflict, InUseProtectionService } from './in-use-protection.service.js';
import { TargetsStore } from '../targets/targets.store.js';

/** Moves deployed designs between workspaces, without bypassing the rights to their destinations. */
@Injectable()
export class DeployedDesignsService {
  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly protection: InUseProtectionService,
    private readonly approvals: ApprovalRulesService,
    private readonly targets: TargetsStore,
  ) {}

  /**
   * Runs in the transaction of a move that has locked the design and both workspaces.
   * @param design as it is after the move
   * @throws Conflict IN_USE unless the actor may undeploy the design everywhere and its new workspace has those environments
   */
  async moveWithDesign(actor: Actor, design: Design): Promise<void> {
    const { id, workspaceId: to, organizationId } = design;
    await this.protection.requireFinished({ designId: id });
    const destinations = await this.deployed.findByUse({ designId: id });
    if (destinations.length === 0) return;
    const refuse = (remedy: string) =>
      inUseConflict(destinations, [], `${remedy}, or undeploy it first: DELETE /api/pattern/deploy.`);
    for (const { workspaceId, environmentId } of destinations) {
      await this.approvals
        .requireRequest(actor, { action: 'undeploy', override: {} }, { workspaceId, organizationId, environmentId })
        .catch((error: unknown) => {
          if (!(error instanceof Forbidden)) throw error;
          throw refuse('Ask a user who may undeploy it to move it');
        });
      if (!(await this.targets.isAssigned(to, environmentId)))
        throw refuse('Assign its environments to the new workspace');
    }
    await this.deployed.moveToWorkspace(id, to);
  }
}
