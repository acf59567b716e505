import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { roleRank } from '../../core/access/roles.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import {
  WorkspaceMemberAdded,
  WorkspaceMemberRemoved,
  WorkspaceMemberRoleChanged,
} from '../members/workspace-member.events.js';
import { WorkspaceMembersStore } from '../grants/workspace-members.store.js';
import { Precondition } from '../../core/rest/precondition.js';
import { assertReadOnlyUnchanged } from '../../core/rest/read-only-fields.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { WorkspacesService } from '../workspaces.service.js';
import type { WorkspaceTeamChange } from './workspace-team.inputs.js';
import { WorkspaceTeamView } from './workspace-team.view.js';
import { type GrantedTeam, WorkspaceTeamsStore } from '../grants/workspace-teams.store.js';

/** The roles of teams in workspaces. All members of a team have its role. */
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

  async list(actor: Actor, workspaceId: string, query: ListQuery): Promise<Page<GrantedTeam>> {
    await this.workspaces.get(actor, workspaceId, 'readMembers');
    return this.teams.page(workspaceId, query);
  }

  /** @throws NotFound when the team has no role in the workspace */
  async get(actor: Actor, workspaceId: string, teamId: string): Promise<GrantedTeam> {
    await this.workspaces.get(actor, workspaceId, 'readMembers');
    return this.getTeam(workspaceId, teamId);
  }

  /** Grants a role to a team of the same organization, or changes the one it has. */
  async setRole(
    actor: Actor,
    workspaceId: string,
    teamId: string,
    input: WorkspaceTeamChange,
    match: Precondition,
  ): Promise<GrantedTeam> {
    const { role } = input;
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getForUpdate(actor, workspaceId, 'manageMembers', Precondition.none);
      if (!(await this.teams.lockTeam(workspace.organizationId, teamId))) throw new NotFound('team', teamId);
      const before = await this.teams.find(workspaceId, teamId);
      match.assertMatches(before);
      assertReadOnlyUnchanged(input, before ? WorkspaceTeamView.fromTeam(before) : { team_id: teamId });
      if (before?.role === roleRank(role)) return before;
      const newcomers = (await this.members.count(workspaceId, teamId)) - (await this.members.count(workspaceId));
      await this.quotas.assertWithinLimit(workspace, 'max_members', newcomers);
      await this.teams.setRole(workspaceId, teamId, role);
      const team = await this.getTeam(workspaceId, teamId);
      const EventClass = before ? WorkspaceMemberRoleChanged : WorkspaceMemberAdded;
      await this.events.publish(new EventClass(actor, workspace, team, role));
      return team;
    });
  }

  /** Removes a role; the members of the team lose it with their next request. */
  async remove(actor: Actor, workspaceId: string, teamId: string, match: Precondition): Promise<GrantedTeam> {
    return this.unit.run(async () => {
      const workspace = await this.workspaces.getForUpdate(actor, workspaceId, 'manageMembers', Precondition.none);
      const team = await this.getTeam(workspaceId, teamId);
      match.assertMatches(team);
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
