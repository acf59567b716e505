import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { MemberPage, MemberView } from '../memberships/member.view.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { NewTeam, TeamChange } from './team.inputs.js';
import { TeamPage, TeamView } from './team.view.js';
import { TeamsService } from './teams.service.js';

@ApiTags('organizations')
@Controller('identity/orgs/:orgId/teams')
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @RestOperation('listTeams', 'List teams', 'Lists the teams of an organization.')
  @Get()
  @ApiOkResponse({ type: TeamPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.teams.list(actor, orgId, query), 'teams', TeamView.fromEntity);
  }

  @RestOperation('createTeam', 'Create a team', 'Creates a team in an organization.')
  @Post()
  @RequiresRight(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: TeamView })
  async create(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Body() input: NewTeam,
  ): Promise<TeamView> {
    return TeamView.fromEntity(await this.teams.create(actor, orgId, input));
  }

  @RestOperation('getTeam', 'Read a team', 'Reads a team.')
  @Get(':teamId')
  @ApiOkResponse({ type: TeamView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('teamId') teamId: string,
  ): Promise<TeamView> {
    return TeamView.fromEntity(await this.teams.get(actor, orgId, teamId));
  }

  @RestOperation('updateTeam', 'Update a team', 'Changes the fields that are sent.')
  @Put(':teamId')
  @RequiresRight(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: TeamView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('teamId') teamId: string,
    @Body() input: TeamChange,
    @IfMatch() match: Precondition,
  ): Promise<TeamView> {
    return TeamView.fromEntity(await this.teams.update(actor, orgId, teamId, input, match));
  }

  @RestOperation('deleteTeam', 'Delete a team', 'Deletes a team; its members lose the roles that it gave.')
  @Delete(':teamId')
  @RequiresRight(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: TeamView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('teamId') teamId: string,
    @IfMatch() match: Precondition,
  ): Promise<TeamView> {
    return TeamView.fromEntity(await this.teams.delete(actor, orgId, teamId, match));
  }

  @RestOperation('listTeamUsers', 'List users of a team', 'Lists the users of a team.')
  @Get(':teamId/users')
  @ApiOkResponse({ type: MemberPage })
  async listUsers(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('teamId') teamId: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.teams.listUsers(actor, orgId, teamId, query), 'users', MemberView.fromEntity);
  }

  @RestOperation('addTeamUser', 'Add a user to a team', 'Adds a user of the organization to a team.', { location: '' })
  @Post(':teamId/users/:userId')
  @RequiresRight(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: MemberView })
  async addUser(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('teamId') teamId: string,
    @IdParam('userId') userId: string,
  ): Promise<MemberView> {
    return MemberView.fromEntity(await this.teams.addUser(actor, orgId, teamId, userId));
  }

  @RestOperation('removeTeamUser', 'Remove a user from a team', 'Removes a user from a team.')
  @Delete(':teamId/users/:userId')
  @RequiresRight(organizationPolicy.manageTeams, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: MemberView })
  async removeUser(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('teamId') teamId: string,
    @IdParam('userId') userId: string,
    @IfMatch() match: Precondition,
  ): Promise<MemberView> {
    return MemberView.fromEntity(await this.teams.removeUser(actor, orgId, teamId, userId, match));
  }
}
