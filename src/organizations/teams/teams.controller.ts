import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { MemberPage, MemberView } from '../members/member.view.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { NewTeam, TeamChange } from './team.inputs.js';
import { TeamPage, TeamView } from './team.view.js';
import { TeamsService } from './teams.service.js';

@ApiTags('organizations')
@ApiBearerAuth()
@Controller('api/identity/orgs/:orgId/teams')
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Get()
  @ApiOkResponse({ type: TeamPage })
  async list(@Caller() actor: Actor, @Id('orgId') orgId: string, @Query() query: ListQuery): Promise<Envelope> {
    return envelope(await this.teams.list(actor, orgId, query), 'teams', TeamView.of);
  }

  @Post()
  @Requires(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: TeamView })
  async create(@Caller() actor: Actor, @Id('orgId') orgId: string, @Body() input: NewTeam): Promise<TeamView> {
    return TeamView.of(await this.teams.create(actor, orgId, input));
  }

  @Get(':teamId')
  @ApiOkResponse({ type: TeamView })
  async get(@Caller() actor: Actor, @Id('orgId') orgId: string, @Id('teamId') teamId: string): Promise<TeamView> {
    return TeamView.of(await this.teams.get(actor, orgId, teamId));
  }

  @Put(':teamId')
  @Requires(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: TeamView })
  async update(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('teamId') teamId: string,
    @Body() input: TeamChange,
    @IfMatch() match: Precondition,
  ): Promise<TeamView> {
    return TeamView.of(await this.teams.update(actor, orgId, teamId, input, match));
  }

  @Delete(':teamId')
  @Requires(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: TeamView })
  async delete(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('teamId') teamId: string,
    @IfMatch() match: Precondition,
  ): Promise<TeamView> {
    return TeamView.of(await this.teams.delete(actor, orgId, teamId, match));
  }

  @Get(':teamId/users')
  @ApiOkResponse({ type: MemberPage })
  async listUsers(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('teamId') teamId: string,
    @Query() query: ListQuery,
  ): Promise<Envelope> {
    return envelope(await this.teams.listUsers(actor, orgId, teamId, query), 'users', MemberView.of);
  }

  @Post(':teamId/users/:userId')
  @Requires(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: MemberView })
  async addUser(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('teamId') teamId: string,
    @Id('userId') userId: string,
  ): Promise<MemberView> {
    return MemberView.of(await this.teams.addUser(actor, orgId, teamId, userId));
  }

  @Delete(':teamId/users/:userId')
  @Requires(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: MemberView })
  async removeUser(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('teamId') teamId: string,
    @Id('userId') userId: string,
  ): Promise<MemberView> {
    return MemberView.of(await this.teams.removeUser(actor, orgId, teamId, userId));
  }
}
