import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { DesignListQuery } from '../design.inputs.js';
import { designPolicy } from '../design.policy.js';
import { DesignPage } from '../design.view.js';
import { DesignPresenter } from '../design.presenter.js';
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
  async list(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: DesignListQuery,
  ): Promise<PageEnvelope> {
    const inWorkspace = Object.assign(new DesignListQuery(), query, { workspace_id: id });
    return this.presenter.toWorkspaceEnvelope(await this.designs.list(actor, inWorkspace), query.populate);
  }

  /** Moves the design into this workspace. */
  @Post(':designID')
  @RequiresRight(designPolicy.move, WorkspacesService)
  @RequiresRight(designPolicy.move, DesignsService, 'designID')
  @HttpCode(200)
  @ApiOkResponse({ type: WorkspaceDesignView })
  async add(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('designID') designId: string,
  ): Promise<WorkspaceDesignView> {
    return WorkspaceDesignView.fromEntity(await this.designs.move(actor, id, designId));
  }

  /** Moves the design to its owner's default workspace. */
  @Delete(':designID')
  @RequiresRight(designPolicy.move, DesignsService, 'designID')
  @ApiOkResponse({ type: WorkspaceDesignView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('designID') designId: string,
  ): Promise<WorkspaceDesignView> {
    return WorkspaceDesignView.fromEntity(await this.designs.moveToPersonalWorkspace(actor, id, designId));
  }
}
