import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PublishInput, UnpublishInput } from '../../catalog/catalog.inputs.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { DesignPresenter } from '../design.presenter.js';
import { designPolicy } from '../design.policy.js';
import { DesignPage, DesignView } from '../design.view.js';
import { DesignsService } from '../designs.service.js';
import { CatalogService } from './catalog.service.js';
import { DesignCatalogQuery } from '../design.inputs.js';

/** Designs that everyone who is signed in may read, each in its published version. */
@ApiTags('designs')
@Controller('pattern/catalog')
export class CatalogController {
  constructor(
    private readonly catalog: CatalogService,
    private readonly presenter: DesignPresenter,
  ) {}

  @RestOperation(
    'listCatalogDesigns',
    'List the catalog of designs',
    'Lists published designs, each in its published version.',
  )
  @Get()
  @ApiOkResponse({ type: DesignPage })
  async list(@CurrentActor() actor: Actor, @Query() query: DesignCatalogQuery): Promise<PageEnvelope> {
    return this.presenter.toEnvelope(await this.catalog.list(actor, query), query.populate);
  }

  @RestOperation(
    'publishDesign',
    'Publish a design',
    'Publishes the current version of a design to everyone who is signed in.',
  )
  @Post('publish')
  @RequiresBodyRight(designPolicy.publish, DesignsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DesignView })
  async publish(
    @CurrentActor() actor: Actor,
    @Body() input: PublishInput,
    @IfMatch() match: Precondition,
  ): Promise<DesignView> {
    return this.presenter.toDetailView(await this.catalog.publish(actor, input, match));
  }

  @RestOperation(
    'unpublishDesign',
    'Unpublish a design',
    'Unpublishes a design. The id is sent in the body or, where proxies drop the bodies of DELETE, in the query.',
  )
  @Delete('unpublish')
  @RequiresBodyRight(designPolicy.publish, DesignsService)
  @ApiOkResponse({ type: DesignView })
  async unpublish(
    @CurrentActor() actor: Actor,
    @Body() body: UnpublishInput,
    @Query() query: UnpublishInput,
    @IfMatch() match: Precondition,
  ): Promise<DesignView> {
    return this.presenter.toDetailView(
      await this.catalog.unpublish(actor, UnpublishInput.resolveId(body, query), match),
    );
  }
}
