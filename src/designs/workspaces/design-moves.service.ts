import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { Precondition } from '../../core/rest/precondition.js';
import { PersonalWorkspacesService } from '../../workspaces/personal/personal-workspaces.service.js';
import { WorkspaceQuotasService } from '../../workspaces/quotas/workspace-quotas.service.js';
import type { Workspace } from '../../workspaces/workspace.entity.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import type { Design } from '../design.entity.js';
import { DesignMoved } from '../design.events.js';
import { DesignsService } from '../designs.service.js';

/** Moves designs between workspaces. */
@Injectable()
export class DesignMovesService {
  constructor(
    private readonly designs: DesignsService,
    private readonly workspaces: WorkspacesService,
    private readonly personal: PersonalWorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Moves a design into a workspace; requires the editor role in both. Moving it to its own workspace has no effect. */
  async move(actor: Actor, workspaceId: string, id: string): Promise<Design> {
    const target = await this.workspaces.get(actor, workspaceId);
    await this.designs.assertAllowed(actor, 'move', { workspaceId, organizationId: target.organizationId });
    const current = await this.designs.getAllowed(actor, id, 'move');
    if (current.organizationId !== target.organizationId) throw new NotFound('design', id);
    return this.unit.run(() => this.moveTo(actor, current, workspaceId, actor));
  }

  /** Removes a design from a workspace: it moves to its owner's default workspace, which the mover may not see. */
  async moveToPersonalWorkspace(actor: Actor, workspaceId: string, id: string, match: Precondition): Promise<Design> {
    const current = await this.designs.getAllowed(actor, id, 'move');
    if (current.workspaceId !== workspaceId) throw new NotFound('design', id);
    return this.unit.run(async () => {
      const reason = 'moving a design home';
      const { organizationId, userId } = current;
      const home = await this.unit.runAsSystem(reason, () => this.personal.getOrCreate(actor, organizationId, userId));
      return this.moveTo(actor, current, home.id, Actor.system(reason), match);
    });
  }

  /** @param as an actor who sees both workspaces */
  private async moveTo(
    actor: Actor,
    { id, workspaceId: from }: Design,
    to: string,
    as: Actor,
    match = Precondition.none,
  ): Promise<Design> {
    return this.unit.runAsSystem('moving a design', async () => {
      const workspaces = await this.workspaces.lockAllActive(as, [from, to]);
      const design = await this.designs.lock(actor, id, from);
      match.assertMatches(design);
      if (from === to) return design;
      await this.quotas.assertWithinLimit(workspaces.get(to) as Workspace, 'max_designs');
      await this.designs.changeWorkspace(design, to);
      await this.events.publish(new DesignMoved(actor, design, { from, to }));
      return design;
    });
  }
}
