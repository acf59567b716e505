import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { OrganizationListQuery, OrganizationQuery } from '../core/listing/list-query.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { Id } from '../core/rest/id.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { Requires, RequiresIn } from '../core/rest/rights/requires.js';
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
  async list(@Caller() actor: Actor, @Query() query: OrganizationListQuery): Promise<Envelope> {
    return envelope(await this.workspaces.list(actor, query), 'workspaces', WorkspaceView.of);
  }

  @Post()
  @RequiresIn(workspacePolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: WorkspaceView })
  async create(@Caller() actor: Actor, @Body() input: NewWorkspace): Promise<WorkspaceView> {
    return WorkspaceView.of(await this.workspaces.create(actor, input));
  }

  @Get(':id')
  @ApiOkResponse({ type: WorkspaceView })
  async get(@Caller() actor: Actor, @Id() id: string, @Query() query: OrganizationQuery): Promise<WorkspaceView> {
    return WorkspaceView.of(await this.workspaces.get(actor, id, 'read', query));
  }

  @Put(':id')
  @Requires(workspacePolicy.update, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceView })
  async update(
    @Caller() actor: Actor,
    @Id() id: string,
    @Body() input: WorkspaceChange,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceView> {
    return WorkspaceView.of(await this.workspaces.update(actor, id, input, match));
  }

  @Delete(':id')
  @Requires(workspacePolicy.delete, WorkspacesService)
  @ApiOkResponse({ type: WorkspaceView })
  async delete(@Caller() actor: Actor, @Id() id: string, @IfMatch() match: Precondition): Promise<WorkspaceView> {
    return WorkspaceView.of(await this.workspaces.delete(actor, id, match));
  }

  @Post(':id/archive')
  @Requires(workspacePolicy.archive, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceView })
  async archive(@Caller() actor: Actor, @Id() id: string): Promise<WorkspaceView> {
    return WorkspaceView.of(await this.workspaces.archive(actor, id));
  }

  @Post(':id/restore')
  @Requires(workspacePolicy.restore, WorkspacesService)
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceView })
  async restore(@Caller() actor: Actor, @Id() id: string): Promise<WorkspaceView> {
    return WorkspaceView.of(await this.workspaces.restore(actor, id));
  }
}
