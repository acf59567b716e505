import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import type { PageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { DesignListQuery, DesignQuery } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignPage, DesignView } from './design.view.js';
import { DesignPresenter } from './design.presenter.js';
import { DesignRemovalService } from './design-removal.service.js';
import { DesignsService } from './designs.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { ApiFlagQuery } from '../core/rest/openapi/schemas.js';
import { FlagQuery } from '../core/rest/flag.pipe.js';

@ApiTags('designs')
@Controller('pattern')
export class DesignsController {
  constructor(
    private readonly designs: DesignsService,
    private readonly removal: DesignRemovalService,
    private readonly presenter: DesignPresenter,
  ) {}

  @RestOperation('listDesigns', 'List designs', 'Lists the designs that the caller sees.')
  @Get()
  @ApiOkResponse({ type: DesignPage })
  async list(@CurrentActor() actor: Actor, @Query() query: DesignListQuery): Promise<PageEnvelope> {
    return this.presenter.toEnvelope(await this.designs.list(actor, query), query.populate);
  }

  @RestOperation('getDesign', 'Read a design', 'Reads a design with its design file.')
  @Get(':id')
  @ApiOkResponse({ type: DesignView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: DesignQuery): Promise<DesignView> {
    return this.presenter.toDetailView(await this.designs.get(actor, id, query), query.populate);
  }

  @RestOperation(
    'deleteDesign',
    'Delete a design',
    'Deletes a design softly; it can be restored. `undeploy=true` undeploys it first.',
    { errors: [502, 504] },
  )
  @Delete(':id')
  @ApiFlagQuery('undeploy', 'true undeploys it first.')
  @RequiresRight(designPolicy.delete, DesignsService)
  @ApiOkResponse({ type: DesignView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @FlagQuery('undeploy') undeploy: boolean,
    @IfMatch() match: Precondition,
  ): Promise<DesignView> {
    return this.presenter.toDetailView(await this.removal.delete(actor, id, match, undeploy));
  }

  @RestOperation('restoreDesign', 'Restore a design', 'Restores a deleted design.')
  @Post(':id/restore')
  @RequiresRight(designPolicy.restore, DesignsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DesignView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<DesignView> {
    return this.presenter.toDetailView(await this.removal.restore(actor, id));
  }
}
