import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { roleRank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { RecordAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import type { WorkspaceRole } from './workspace-grant.js';
import { WorkspaceMemberAdded, WorkspaceMemberRemoved, WorkspaceMemberRoleChanged } from './workspace-member.events.js';
import type { WorkspaceMember } from './workspace-member.view.js';
import { WorkspaceMembersStore } from './workspace-members.store.js';

/** Who has which role in a workspace. Its last admin may go: admins of the organization remain. */
@Injectable()
export class WorkspaceMembersService implements RecordAuthorizer {
  constructor(
    private readonly members: WorkspaceMembersStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, workspaceId: string): Promise<WorkspaceMember[]> {
    await this.workspaces.get(actor, workspaceId, 'readMembers');
    return this.members.list(workspaceId);
  }

  /** Grants a role to a member of the organization, or changes the one they have. */
  async setRole(actor: Actor, workspaceId: string, userId: string, role: WorkspaceRole): Promise<WorkspaceMember> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getActiveForUpdate(actor, workspaceId, 'manageMembers');
      if (!(await this.members.isInOrganization(workspace.organizationId, userId))) throw new NotFound('user', userId);
      const before = await this.members.find(workspaceId, userId);
      if (before?.granted === roleRank(role)) return before;
      if (workspace.personalOf === userId && role !== 'admin') throw personalWorkspaceAdmin();
      await this.quotas.assertWithinLimit(workspace, 'max_members', before ? 0 : 1);
      await this.members.setRole(workspaceId, userId, role);
      const member = await this.getMember(workspaceId, userId);
      const Told = before?.granted ? WorkspaceMemberRoleChanged : WorkspaceMemberAdded;
      await this.events.publish(new Told(actor, workspace, member, role));
      return member;
    });
  }

  /** Members may leave by themselves; removing others asks for the right to manage them. */
  authorize(actor: Actor, operation: Operation, workspaceId: string, userId: string): Promise<void> {
    const isRemoval = operation === workspacePolicy.leave && actor.userId !== userId;
    return this.workspaces.authorize(actor, isRemoval ? workspacePolicy.manageMembers : operation, workspaceId);
  }

  /** They lose access with their next request. Members may leave by themselves. */
  async remove(actor: Actor, workspaceId: string, userId: string): Promise<WorkspaceMember> {
    return this.unit.run(async () => {
      const leaving = actor.userId === userId;
      const workspace = await this.workspaces.getActiveForUpdate(
        actor,
        workspaceId,
        leaving ? 'leave' : 'manageMembers',
      );
      const member = await this.getMember(workspaceId, userId);
      if (member.granted === null) throw memberThroughTeam(member);
      if (workspace.personalOf === userId) throw personalWorkspaceAdmin();
      await this.members.remove(workspaceId, userId);
      await this.events.publish(new WorkspaceMemberRemoved(actor, workspace, member, null));
      return member;
    });
  }

  private async getMember(workspaceId: string, userId: string): Promise<WorkspaceMember> {
    const member = await this.members.find(workspaceId, userId);
    if (!member) throw new NotFound('member', userId);
    return member;
  }
}

const personalWorkspaceAdmin = (): Conflict =>
  new Conflict('DEFAULT_WORKSPACE', 'a member of the organization stays the admin of their default workspace');

const memberThroughTeam = ({ email, through }: WorkspaceMember): Conflict =>
  new Conflict('MEMBER_THROUGH_TEAM', `${email} has access through ${through.map(({ name }) => name).join(', ')}`, {
    extensions: { teams: through.map(({ teamId, name }) => ({ id: teamId, name })) },
    remedy: 'Take the user out of the team, or the team out of the workspace.',
  });
