import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { EnvironmentPage, EnvironmentView } from '../../environments/environment.view.js';
import { workspacePolicy } from '../workspace.policy.js';
import { WorkspacesService } from '../workspaces.service.js';
import { AssignedEnvironmentsService } from './assigned-environments.service.js';
import { WorkspaceEnvironmentView } from './workspace-environment.view.js';
import { WorkspaceEnvironmentsService } from './workspace-environments.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/environments')
export class WorkspaceEnvironmentsController {
  constructor(
    private readonly mappings: WorkspaceEnvironmentsService,
    private readonly assigned: AssignedEnvironmentsService,
  ) {}

  @RestOperation(
    'listWorkspaceEnvironments',
    'List environments of a workspace',
    'Lists the environments that are assigned to a workspace.',
  )
  @Get()
  @ApiOkResponse({ type: EnvironmentPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.assigned.list(actor, id, query), 'environments', EnvironmentView.fromEntity);
  }

  @RestOperation(
    'assignWorkspaceEnvironment',
    'Assign an environment to a workspace',
    'Assigns an environment to a workspace. Repeating the call changes nothing.',
  )
  @Post(':envID')
  @RequiresRight(workspacePolicy.assignEnvironment, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceEnvironmentView })
  async assign(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('envID') envId: string,
  ): Promise<WorkspaceEnvironmentView> {
    return WorkspaceEnvironmentView.fromEntity(await this.mappings.assign(actor, id, envId));
  }

  @RestOperation(
    'unassignWorkspaceEnvironment',
    'Unassign an environment from a workspace',
    'Takes an environment away from a workspace.',
  )
  @Delete(':envID')
  @RequiresRight(workspacePolicy.unassignEnvironment, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceEnvironmentView })
  async unassign(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('envID') envId: string,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceEnvironmentView> {
    return WorkspaceEnvironmentView.fromEntity(await this.mappings.unassign(actor, id, envId, match));
  }
}
