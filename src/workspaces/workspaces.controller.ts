import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags, ApiQuery } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { OrganizationListQuery, OrganizationQuery } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight, RequiresBodyRight } from '../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { NewWorkspace, WorkspaceChange } from './workspace.inputs.js';
import { workspacePolicy } from './workspace.policy.js';
import { WorkspacePage, WorkspaceView } from './workspace.view.js';
import { WorkspacesService } from './workspaces.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('workspaces')
@Controller('workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @RestOperation('listWorkspaces', 'List workspaces', 'Lists the workspaces of an organization that the caller sees.')
  @Get()
  @ApiQuery({ name: 'orgID', required: true, format: 'uuid', description: 'The organization.' })
  @ApiOkResponse({ type: WorkspacePage })
  async list(@CurrentActor() actor: Actor, @Query() query: OrganizationListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.workspaces.list(actor, query), 'workspaces', WorkspaceView.fromEntity);
  }

  @RestOperation(
    'createWorkspace',
    'Create a workspace',
    'Creates a workspace in an organization; the caller becomes its admin.',
  )
  @Post()
  @RequiresBodyRight(workspacePolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: WorkspaceView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewWorkspace): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.create(actor, input));
  }

  @RestOperation('getWorkspace', 'Read a workspace', 'Reads a workspace.')
  @Get(':id')
  @ApiOkResponse({ type: WorkspaceView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: OrganizationQuery,
  ): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.get(actor, id, 'read', query));
  }

  @RestOperation('updateWorkspace', 'Update a workspace', 'Changes the fields that are sent.')
  @Put(':id')
  @RequiresRight(workspacePolicy.update, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: WorkspaceChange,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.update(actor, id, input, match));
  }

  @RestOperation('deleteWorkspace', 'Delete a workspace', 'Deletes a workspace softly; it can be restored.')
  @Delete(':id')
  @RequiresRight(workspacePolicy.delete, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.delete(actor, id, match));
  }

  @RestOperation(
    'archiveWorkspace',
    'Archive a workspace',
    'Archives a workspace: it can be read, and nothing in it changes until it is restored.',
  )
  @Post(':id/archive')
  @RequiresRight(workspacePolicy.archive, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceView })
  async archive(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.archive(actor, id));
  }

  @RestOperation('restoreWorkspace', 'Restore a workspace', 'Restores an archived or deleted workspace.')
  @Post(':id/restore')
  @RequiresRight(workspacePolicy.restore, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.restore(actor, id));
  }
}
