import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
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

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @Get()
  @ApiOkResponse({ type: WorkspacePage })
  async list(@CurrentActor() actor: Actor, @Query() query: OrganizationListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.workspaces.list(actor, query), 'workspaces', WorkspaceView.fromEntity);
  }

  @Post()
  @RequiresBodyRight(workspacePolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: WorkspaceView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewWorkspace): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.create(actor, input));
  }

  @Get(':id')
  @ApiOkResponse({ type: WorkspaceView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: OrganizationQuery,
  ): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.get(actor, id, 'read', query));
  }

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

  @Post(':id/archive')
  @RequiresRight(workspacePolicy.archive, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceView })
  async archive(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.archive(actor, id));
  }

  @Post(':id/restore')
  @RequiresRight(workspacePolicy.restore, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<WorkspaceView> {
    return WorkspaceView.fromEntity(await this.workspaces.restore(actor, id));
  }
}
