import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import type { Envelope } from '../../core/listing/page.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { DesignListQuery } from '../design.inputs.js';
import { designPolicy } from '../design.policy.js';
import { DesignPage } from '../design.view.js';
import { DesignPresenter } from '../design-presenter.js';
import { DesignsService } from '../designs.service.js';
import { WorkspaceDesignView } from './workspace-design.view.js';

@ApiTags('workspaces')
@ApiBearerAuth()
@Controller('api/workspaces/:id/designs')
export class WorkspaceDesignsController {
  constructor(
    private readonly designs: DesignsService,
    private readonly presenter: DesignPresenter,
  ) {}

  /** The designs, under `designs` and, the same, under `patterns`. */
  @Get()
  @ApiOkResponse({ type: DesignPage })
  async list(@Caller() actor: Actor, @Id() id: string, @Query() query: DesignListQuery): Promise<Envelope> {
    const inWorkspace = Object.assign(new DesignListQuery(), query, { workspace_id: id });
    return this.presenter.pageOfWorkspace(await this.designs.list(actor, inWorkspace), query.populate);
  }

  /** Moves the design into this workspace. */
  @Post(':designID')
  @Requires(designPolicy.move, WorkspacesService)
  @Requires(designPolicy.move, DesignsService, 'designID')
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceDesignView })
  async add(@Caller() actor: Actor, @Id() id: string, @Id('designID') designId: string): Promise<WorkspaceDesignView> {
    return WorkspaceDesignView.of(await this.designs.move(actor, id, designId));
  }

  /** Moves the design to its owner's default workspace. */
  @Delete(':designID')
  @Requires(designPolicy.move, DesignsService, 'designID')
  @ApiOkResponse({ type: WorkspaceDesignView })
  async remove(
    @Caller() actor: Actor,
    @Id() id: string,
    @Id('designID') designId: string,
  ): Promise<WorkspaceDesignView> {
    return WorkspaceDesignView.of(await this.designs.moveHome(actor, id, designId));
  }
}
