import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CatalogQuery, PublishInput, UnpublishInput } from '../../catalog/catalog.inputs.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { DesignPresenter } from '../design.presenter.js';
import { designPolicy } from '../design.policy.js';
import { DesignPage, DesignView } from '../design.view.js';
import { DesignsService } from '../designs.service.js';
import { CatalogService } from './catalog.service.js';

/** Designs that everybody who is signed in may read, each in its published version. */
@ApiTags('designs')
@ApiBearerAuth()
@Controller('api/pattern/catalog')
export class CatalogController {
  constructor(
    private readonly catalog: CatalogService,
    private readonly presenter: DesignPresenter,
  ) {}

  @Get()
  @ApiOkResponse({ type: DesignPage })
  async list(@CurrentActor() actor: Actor, @Query() query: CatalogQuery): Promise<PageEnvelope> {
    return this.presenter.toEnvelope(await this.catalog.list(actor, query), query.populate);
  }

  @Post('publish')
  @RequiresBodyRight(designPolicy.publish, DesignsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DesignView })
  async publish(
    @CurrentActor() actor: Actor,
    @Body() input: PublishInput,
    @IfMatch() match: Precondition,
  ): Promise<DesignView> {
    return DesignView.fromEntity(await this.catalog.publish(actor, input, match));
  }

  /** The id comes in the body or, for proxies that lose it, as a query parameter. */
  @Delete('unpublish')
  @RequiresBodyRight(designPolicy.publish, DesignsService)
  @ApiOkResponse({ type: DesignView })
  async unpublish(
    @CurrentActor() actor: Actor,
    @Body() body: UnpublishInput,
    @Query() query: UnpublishInput,
    @IfMatch() match: Precondition,
  ): Promise<DesignView> {
    return DesignView.fromEntity(await this.catalog.unpublish(actor, UnpublishInput.resolveId(body, query), match));
  }
}
