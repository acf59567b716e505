import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { rank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { WorkspacesService } from '../workspaces.service.js';
import { WorkspaceMemberAdded, WorkspaceMemberRemoved, WorkspaceMemberRoleChanged } from './workspace-member.events.js';
import type { WorkspaceMember, WorkspaceRole } from './workspace-member.view.js';
import { WorkspaceMembersStore } from './workspace-members.store.js';

/** Who has which role in a workspace. */
@Injectable()
export class WorkspaceMembersService {
  constructor(
    private readonly members: WorkspaceMembersStore,
    private readonly workspaces: WorkspacesService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, workspaceId: string): Promise<WorkspaceMember[]> {
    await this.workspaces.get(actor, workspaceId);
    return this.members.list(workspaceId);
  }

  /** Grants a role to a member of the organization, or changes the one they have. */
  async put(actor: Actor, workspaceId: string, userId: string, role: WorkspaceRole): Promise<WorkspaceMember> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.open(actor, workspaceId, 'manageMembers');
      if (!(await this.members.isInOrganization(workspace.organizationId, userId))) throw new NotFound('user', userId);
      const before = await this.members.find(workspaceId, userId);
      if (before?.role === rank(role)) return before;
      await this.members.put(workspaceId, userId, role);
      const member = await this.require(workspaceId, userId);
      const Told = before ? WorkspaceMemberRoleChanged : WorkspaceMemberAdded;
      await this.events.publish(new Told(actor, workspace, member, role));
      return member;
    });
  }

  /** They lose access with their next request. Members may leave by themselves. */
  async remove(actor: Actor, workspaceId: string, userId: string): Promise<WorkspaceMember> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.open(
        actor,
        workspaceId,
        actor.userId === userId ? 'read' : 'manageMembers',
      );
      const member = await this.require(workspaceId, userId);
      await this.members.remove(workspaceId, userId);
      await this.events.publish(new WorkspaceMemberRemoved(actor, workspace, member, null));
      return member;
    });
  }

  private async require(workspaceId: string, userId: string): Promise<WorkspaceMember> {
    const member = await this.members.find(workspaceId, userId);
    if (!member) throw new NotFound('member', userId);
    return member;
  }
}
