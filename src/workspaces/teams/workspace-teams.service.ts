import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { roleRank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import {
  WorkspaceMemberAdded,
  WorkspaceMemberRemoved,
  WorkspaceMemberRoleChanged,
} from '../members/workspace-member.events.js';
import type { WorkspaceRole } from '../members/workspace-grant.js';
import { WorkspaceMembersStore } from '../members/workspace-members.store.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { WorkspacesService } from '../workspaces.service.js';
import type { GrantedTeam } from './workspace-team.view.js';
import { WorkspaceTeamsStore } from './workspace-teams.store.js';

/** Which teams of the organization have which role in a workspace: everyone in a team has its role. */
@Injectable()
export class WorkspaceTeamsService {
  constructor(
    private readonly teams: WorkspaceTeamsStore,
    private readonly members: WorkspaceMembersStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, workspaceId: string): Promise<GrantedTeam[]> {
    await this.workspaces.get(actor, workspaceId, 'readMembers');
    return this.teams.list(workspaceId);
  }

  /** Grants a role to a team of the same organization, or changes the one it has. */
  async setRole(actor: Actor, workspaceId: string, teamId: string, role: WorkspaceRole): Promise<GrantedTeam> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getActiveForUpdate(actor, workspaceId, 'manageMembers');
      if (!(await this.teams.lockTeam(workspace.organizationId, teamId))) throw new NotFound('team', teamId);
      const before = await this.teams.find(workspaceId, teamId);
      if (before?.role === roleRank(role)) return before;
      const newcomers = (await this.members.count(workspaceId, teamId)) - (await this.members.count(workspaceId));
      await this.quotas.assertWithinLimit(workspace, 'max_members', newcomers);
      await this.teams.setRole(workspaceId, teamId, role);
      const team = await this.getTeam(workspaceId, teamId);
      const Told = before ? WorkspaceMemberRoleChanged : WorkspaceMemberAdded;
      await this.events.publish(new Told(actor, workspace, team, role));
      return team;
    });
  }

  /** Everyone in it loses what it gave them, with their next request. */
  async remove(actor: Actor, workspaceId: string, teamId: string): Promise<GrantedTeam> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getActiveForUpdate(actor, workspaceId, 'manageMembers');
      const team = await this.getTeam(workspaceId, teamId);
      await this.teams.remove(workspaceId, teamId);
      await this.events.publish(new WorkspaceMemberRemoved(actor, workspace, team, null));
      return team;
    });
  }

  private async getTeam(workspaceId: string, teamId: string): Promise<GrantedTeam> {
    const team = await this.teams.find(workspaceId, teamId);
    if (!team) throw new NotFound('team', teamId);
    return team;
  }
}
