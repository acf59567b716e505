import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { EnvironmentPage, EnvironmentView } from '../../environments/environment.view.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { WorkspaceEnvironmentView } from './workspace-environment.view.js';
import { WorkspaceEnvironmentsService } from './workspace-environments.service.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/environments')
export class WorkspaceEnvironmentsController {
  constructor(private readonly mappings: WorkspaceEnvironmentsService) {}

  @Get()
  @ApiOkResponse({ type: EnvironmentPage })
  async list(@Caller() actor: Actor, @Id() id: string, @Query() query: ListQuery): Promise<Envelope> {
    return envelope(await this.mappings.list(actor, id, query), 'environments', EnvironmentView.of);
  }

  @Post(':envID')
  @Requires(workspacePolicy.assignEnvironment, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceEnvironmentView })
  async assign(
    @Caller() actor: Actor,
    @Id() id: string,
    @Id('envID') envId: string,
  ): Promise<WorkspaceEnvironmentView> {
    return WorkspaceEnvironmentView.of(await this.mappings.assign(actor, id, envId));
  }

  @Delete(':envID')
  @Requires(workspacePolicy.unassignEnvironment, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceEnvironmentView })
  async unassign(
    @Caller() actor: Actor,
    @Id() id: string,
    @Id('envID') envId: string,
  ): Promise<WorkspaceEnvironmentView> {
    return WorkspaceEnvironmentView.of(await this.mappings.unassign(actor, id, envId));
  }
}
