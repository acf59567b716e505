import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { WorkspaceTeamPage, WorkspaceTeamView } from './workspace-team.view.js';
import { WorkspaceTeamChange } from './workspace-team.inputs.js';
import { WorkspaceTeamsService } from './workspace-teams.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/teams')
export class WorkspaceTeamsController {
  constructor(private readonly teams: WorkspaceTeamsService) {}

  @RestOperation('listWorkspaceTeams', 'List teams of a workspace', 'Lists the teams with a role in a workspace.')
  @Get()
  @ApiOkResponse({ type: WorkspaceTeamPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.teams.list(actor, id, query), 'teams', WorkspaceTeamView.fromTeam);
  }

  @RestOperation('getWorkspaceTeam', 'Read a team of a workspace', 'Reads the role of a team in a workspace.')
  @Get(':teamId')
  @ApiOkResponse({ type: WorkspaceTeamView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('teamId') teamId: string,
  ): Promise<WorkspaceTeamView> {
    return WorkspaceTeamView.fromTeam(await this.teams.get(actor, id, teamId));
  }

  @RestOperation('setWorkspaceTeam', 'Set the role of a team', 'Grants a team a role in a workspace, or changes it.')
  @Put(':teamId')
  @RequiresRight(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceTeamView })
  async put(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('teamId') teamId: string,
    @Body() input: WorkspaceTeamChange,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceTeamView> {
    return WorkspaceTeamView.fromTeam(await this.teams.setRole(actor, id, teamId, input, match));
  }

  @RestOperation(
    'addWorkspaceTeam',
    'Add a team to a workspace',
    'Grants a team a role in a workspace: the same as PUT.',
  )
  @Post(':teamId')
  @RequiresRight(workspacePolicy.manageMembers, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceTeamView })
  post(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('teamId') teamId: string,
    @Body() input: WorkspaceTeamChange,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceTeamView> {
    return this.put(actor, id, teamId, input, match);
  }

  @RestOperation(
    'removeWorkspaceTeam',
    'Remove a team from a workspace',
    'Takes the role of a team in a workspace away.',
  )
  @Delete(':teamId')
  @RequiresRight(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceTeamView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('teamId') teamId: string,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceTeamView> {
    return WorkspaceTeamView.fromTeam(await this.teams.remove(actor, id, teamId, match));
  }
}
