import { Body, Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { type PageEnvelope, toPageEnvelope, singlePage } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { WorkspaceGrant } from '../members/workspace-grant.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { WorkspaceTeamPage, WorkspaceTeamView } from './workspace-team.view.js';
import { WorkspaceTeamsService } from './workspace-teams.service.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/teams')
export class WorkspaceTeamsController {
  constructor(private readonly teams: WorkspaceTeamsService) {}

  @Get()
  @ApiOkResponse({ type: WorkspaceTeamPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PageEnvelope> {
    return toPageEnvelope(singlePage(await this.teams.list(actor, id)), 'teams', WorkspaceTeamView.fromTeam);
  }

  @Put(':teamId')
  @RequiresRight(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceTeamView })
  async put(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('teamId') teamId: string,
    @Body() { role }: WorkspaceGrant,
  ): Promise<WorkspaceTeamView> {
    return WorkspaceTeamView.fromTeam(await this.teams.setRole(actor, id, teamId, role));
  }

  @Post(':teamId')
  @RequiresRight(workspacePolicy.manageMembers, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceTeamView })
  post(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('teamId') teamId: string,
    @Body() grant: WorkspaceGrant,
  ): Promise<WorkspaceTeamView> {
    return this.put(actor, id, teamId, grant);
  }

  @Delete(':teamId')
  @RequiresRight(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceTeamView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('teamId') teamId: string,
  ): Promise<WorkspaceTeamView> {
    return WorkspaceTeamView.fromTeam(await this.teams.remove(actor, id, teamId));
  }
}
