import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { DesignListQuery } from '../design.inputs.js';
import { designPolicy } from '../design.policy.js';
import { WorkspaceDesignPage } from '../design.view.js';
import { DesignPresenter } from '../design.presenter.js';
import { DesignsService } from '../designs.service.js';
import { DesignMovesService } from './design-moves.service.js';
import { WorkspaceDesignView } from './workspace-design.view.js';

@ApiTags('workspaces')
@Controller('workspaces/:id/designs')
export class WorkspaceDesignsController {
  constructor(
    private readonly designs: DesignsService,
    private readonly moves: DesignMovesService,
    private readonly presenter: DesignPresenter,
  ) {}

  @RestOperation(
    'listWorkspaceDesigns',
    'List designs of a workspace',
    'Lists the designs of a workspace, under `designs` and again under `patterns`.',
  )
  @Get()
  @ApiOkResponse({ type: WorkspaceDesignPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: DesignListQuery,
  ): Promise<PageEnvelope> {
    const inWorkspace = Object.assign(new DesignListQuery(), query, { workspace_id: id });
    return this.presenter.toWorkspaceEnvelope(await this.designs.list(actor, inWorkspace), query.populate);
  }

  @RestOperation('moveDesign', 'Move a design to a workspace', 'Moves a design into this workspace.')
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
    return WorkspaceDesignView.fromEntity(await this.moves.move(actor, id, designId));
  }

  @RestOperation(
    'removeWorkspaceDesign',
    'Remove a design from a workspace',
    "Moves a design to its owner's default workspace, and returns the mapping that was removed.",
  )
  @Delete(':designID')
  @RequiresRight(designPolicy.move, DesignsService, 'designID')
  @ApiOkResponse({ type: WorkspaceDesignView })
  async remove(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IdParam('designID') designId: string,
    @IfMatch() match: Precondition,
  ): Promise<WorkspaceDesignView> {
    return WorkspaceDesignView.fromRemoved(await this.moves.moveToPersonalWorkspace(actor, id, designId, match), id);
  }
}
