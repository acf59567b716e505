import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { assertReadOnlyUnchanged } from '../../core/rest/read-only-fields.js';
import { Precondition } from '../../core/rest/precondition.js';
import { type Member, memberRevision } from '../memberships/member.view.js';
import { MembersService } from '../members/members.service.js';
import { MembersStore } from '../memberships/members.store.js';
import { OrganizationsService } from '../organizations.service.js';
import { Team } from './team.entity.js';
import { TeamCreated, TeamDeleted, TeamMemberAdded, TeamMemberRemoved, TeamUpdated } from './team.events.js';
import type { NewTeam, TeamChange } from './team.inputs.js';
import { TeamView } from './team.view.js';
import { TeamsStore } from './teams.store.js';

@Injectable()
export class TeamsService {
  constructor(
    private readonly teams: TeamsStore,
    private readonly members: MembersService,
    private readonly membersStore: MembersStore,
    private readonly organizations: OrganizationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Lists the teams of an organization, of the caller's own when none is named. */
  async list(actor: Actor, organizationId: string | undefined, query: ListQuery): Promise<Page<Team>> {
    const { id } = await this.organizations.resolve(actor, organizationId);
    return this.teams.page(id, query);
  }

  /** @throws NotFound when there is no such team in an organization that the actor sees */
  async getById(actor: Actor, id: string): Promise<Team> {
    const team = await this.teams.findById(id);
    if (!(await this.organizations.sees(actor, team?.organizationId)) || !team) throw new NotFound('team', id);
    return team;
  }

  /** @throws NotFound when the organization has no such team that the actor may see */
  async get(actor: Actor, organizationId: string, id: string): Promise<Team> {
    await this.organizations.get(actor, organizationId);
    return this.getTeam(organizationId, id);
  }

  async create(actor: Actor, organizationId: string, input: NewTeam): Promise<Team> {
    return this.unit.run(async () => {
      await this.organizations.getForUpdate(actor, organizationId, 'manageTeams', Precondition.none);
      const { name, description } = input;
      const team = Object.assign(new Team(), { organizationId, name, description: description ?? '' });
      await this.teams.insert(team);
      await this.events.publish(new TeamCreated(actor, team));
      return team;
    });
  }

  async update(
    actor: Actor,
    organizationId: string,
    id: string,
    input: TeamChange,
    match: Precondition,
  ): Promise<Team> {
    return this.unit.run(async () => {
      const team = await this.getForUpdate(actor, organizationId, id, match);
      assertReadOnlyUnchanged(input, TeamView.fromEntity(team));
      if (this.teams.changeAtCommit(team, input.fields())) await this.events.publish(new TeamUpdated(actor, team));
      return team;
    });
  }

  async delete(actor: Actor, organizationId: string, id: string, match: Precondition): Promise<Team> {
    return this.unit.run(async () => {
      const team = await this.getForUpdate(actor, organizationId, id, match);
      await this.teams.removeMembers(id);
      await this.teams.softDelete(team);
      await this.events.publish(new TeamDeleted(actor, team));
      return team;
    });
  }

  async listUsers(actor: Actor, organizationId: string, id: string, query: ListQuery): Promise<Page<Member>> {
    await this.get(actor, organizationId, id);
    return this.membersStore.pageOfTeam(organizationId, id, query);
  }

  /** Adds a member of the organization to a team; has no effect on a member of the team. */
  async addUser(actor: Actor, organizationId: string, id: string, userId: string): Promise<Member> {
    return this.unit.run(async () => {
      const team = await this.getForUpdate(actor, organizationId, id, Precondition.none);
      const member = await this.members.getMember(organizationId, userId);
      if (await this.teams.addMember(id, userId)) await this.events.publish(new TeamMemberAdded(actor, team, member));
      return member;
    });
  }

  /** Removes a user from a team; the roles that the team gave them end with their next request. */
  async removeUser(
    actor: Actor,
    organizationId: string,
    id: string,
    userId: string,
    match: Precondition,
  ): Promise<Member> {
    return this.unit.run(async () => {
      const team = await this.getForUpdate(actor, organizationId, id, Precondition.none);
      const member = await this.members.getMember(organizationId, userId);
      match.assertMatches(memberRevision(member));
      if (!(await this.teams.removeMember(id, userId))) throw new NotFound('user', userId);
      await this.events.publish(new TeamMemberRemoved(actor, team, member));
      return member;
    });
  }

  /** Locks the organization, which serializes changes of its teams and members. */
  private async getForUpdate(actor: Actor, organizationId: string, id: string, match: Precondition): Promise<Team> {
    await this.organizations.getForUpdate(actor, organizationId, 'manageTeams', Precondition.none);
    const team = await this.getTeam(organizationId, id);
    match.assertMatches(team);
    return team;
  }

  private async getTeam(organizationId: string, id: string): Promise<Team> {
    const team = await this.teams.find(organizationId, id);
    if (!team) throw new NotFound('team', id);
    return team;
  }
}
