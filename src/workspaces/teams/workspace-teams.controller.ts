import { Body, Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { type Envelope, envelope, whole } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
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
  async list(@Caller() actor: Actor, @Id() id: string): Promise<Envelope> {
    return envelope(whole(await this.teams.list(actor, id)), 'teams', WorkspaceTeamView.of);
  }

  @Put(':teamId')
  @Requires(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceTeamView })
  async put(
    @Caller() actor: Actor,
    @Id() id: string,
    @Id('teamId') teamId: string,
    @Body() { role }: WorkspaceGrant,
  ): Promise<WorkspaceTeamView> {
    return WorkspaceTeamView.of(await this.teams.put(actor, id, teamId, role));
  }

  @Post(':teamId')
  @Requires(workspacePolicy.manageMembers, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceTeamView })
  post(
    @Caller() actor: Actor,
    @Id() id: string,
    @Id('teamId') teamId: string,
    @Body() grant: WorkspaceGrant,
  ): Promise<WorkspaceTeamView> {
    return this.put(actor, id, teamId, grant);
  }

  @Delete(':teamId')
  @Requires(workspacePolicy.manageMembers, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceTeamView })
  async remove(@Caller() actor: Actor, @Id() id: string, @Id('teamId') teamId: string): Promise<WorkspaceTeamView> {
    return WorkspaceTeamView.of(await this.teams.remove(actor, id, teamId));
  }
}
