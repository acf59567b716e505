import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { roleRank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { Precondition } from '../../core/rest/precondition.js';
import { assertReadOnlyUnchanged, hasReadOnlyField } from '../../core/rest/read-only-fields.js';
import type { RecordAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { toWorkspaceRole } from '../grants/workspace-grant.js';
import { WorkspaceMemberView } from './workspace-member.view.js';
import type { WorkspaceMemberChange } from './workspace-member.inputs.js';
import { WorkspaceMemberAdded, WorkspaceMemberRemoved, WorkspaceMemberRoleChanged } from './workspace-member.events.js';
import { type WorkspaceMember, WorkspaceMembersStore } from '../grants/workspace-members.store.js';

/** The roles of users in workspaces. The last admin may leave, because admins of the organization remain. */
@Injectable()
export class WorkspaceMembersService implements RecordAuthorizer {
  constructor(
    private readonly members: WorkspaceMembersStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, workspaceId: string, query: ListQuery): Promise<Page<WorkspaceMember>> {
    await this.workspaces.get(actor, workspaceId, 'readMembers');
    return this.members.page(workspaceId, query);
  }

  /** @throws NotFound when the user has no role in the workspace */
  async get(actor: Actor, workspaceId: string, userId: string): Promise<WorkspaceMember> {
    await this.workspaces.get(actor, workspaceId, 'readMembers');
    return this.getMember(workspaceId, userId);
  }

  /** Grants a role to a member of the organization, or changes the one they have. */
  async setRole(
    actor: Actor,
    workspaceId: string,
    userId: string,
    input: WorkspaceMemberChange,
    match: Precondition,
  ): Promise<WorkspaceMember> {
    const { role } = input;
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getForUpdate(actor, workspaceId, 'manageMembers', Precondition.none);
      if (!(await this.members.isInOrganization(workspace.organizationId, userId))) throw new NotFound('user', userId);
      const before = await this.members.find(workspaceId, userId);
      match.assertMatches(before);
      assertReadOnlyUnchanged(input, before ? WorkspaceMemberView.fromMember(before) : { user_id: userId });
      if (before && (before.granted === roleRank(role) || isEcho(input, before))) return before;
      if (workspace.personalOf === userId && role !== 'admin') throw personalWorkspaceAdmin();
      await this.quotas.assertWithinLimit(workspace, 'max_members', before ? 0 : 1);
      await this.members.setRole(workspaceId, userId, role);
      const member = await this.getMember(workspaceId, userId);
      const EventClass = before?.granted ? WorkspaceMemberRoleChanged : WorkspaceMemberAdded;
      await this.events.publish(new EventClass(actor, workspace, member, role));
      return member;
    });
  }

  /** Allows members to remove themselves; removing others requires the right to manage members. */
  authorize(actor: Actor, operation: Operation, workspaceId: string, userId: string): Promise<void> {
    const isRemoval = operation === workspacePolicy.leave && actor.userId !== userId;
    return this.workspaces.authorize(actor, isRemoval ? workspacePolicy.manageMembers : operation, workspaceId);
  }

  /** Removes a role; the user loses access with their next request. */
  async remove(actor: Actor, workspaceId: string, userId: string, match: Precondition): Promise<WorkspaceMember> {
    return this.unit.run(async () => {
      const leaving = actor.userId === userId;
      const operation = leaving ? 'leave' : 'manageMembers';
      const workspace = await this.workspaces.getForUpdate(actor, workspaceId, operation, Precondition.none);
      const member = await this.getMember(workspaceId, userId);
      match.assertMatches(member);
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

/** Whether the request repeats the current member: their role may come from a team, so nothing is granted. */
const isEcho = (input: WorkspaceMemberChange, member: WorkspaceMember): boolean =>
  hasReadOnlyField(input, 'granted') && toWorkspaceRole(member.role) === input.role;

const personalWorkspaceAdmin = (): Conflict =>
  new Conflict('DEFAULT_WORKSPACE', 'a member of the organization stays the admin of their default workspace', {
    remedy: 'Remove the user from the organization, or work in another workspace.',
  });

const memberThroughTeam = ({ email, through }: WorkspaceMember): Conflict =>
  new Conflict('MEMBER_THROUGH_TEAM', `${email} has access through ${through.map(({ name }) => name).join(', ')}`, {
    extensions: { teams: through.map(({ teamId, name }) => ({ id: teamId, name })) },
    remedy: 'Take the user out of the team, or the team out of the workspace.',
  });
