import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CatalogQuery, PublishInput, UnpublishInput } from '../../catalog/catalog.inputs.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { filterPolicy } from '../filter.policy.js';
import { CatalogFilterPage, FilterView } from '../filter.view.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { FilterPresenter } from '../filter.presenter.js';
import { FiltersService } from '../filters.service.js';
import { FilterCatalogService } from './filter-catalog.service.js';

@ApiTags('filters')
@ApiBearerAuth()
@Controller('api/filter/catalog')
export class FilterCatalogController {
  constructor(
    private readonly catalog: FilterCatalogService,
    private readonly presenter: FilterPresenter,
  ) {}

  @Get()
  @ApiOkResponse({ type: CatalogFilterPage })
  async list(@CurrentActor() actor: Actor, @Query() query: CatalogQuery): Promise<PageEnvelope> {
    return this.presenter.toCatalogPage(await this.catalog.page(actor, query), query.populate);
  }

  @Post('publish')
  @RequiresBodyRight(filterPolicy.publish, FiltersService)
  @HttpCode(200)
  @ApiOkResponse({ type: FilterView })
  async publish(
    @CurrentActor() actor: Actor,
    @Body() input: PublishInput,
    @IfMatch() match: Precondition,
  ): Promise<FilterView> {
    return this.presenter.toViewWithoutModule(await this.catalog.publish(actor, input, match));
  }

  /** The id is in the body or, for proxies that drop the bodies of DELETE, in the query. */
  @Delete('unpublish')
  @RequiresBodyRight(filterPolicy.publish, FiltersService)
  @ApiOkResponse({ type: FilterView })
  async unpublish(
    @CurrentActor() actor: Actor,
    @Body() body: UnpublishInput,
    @Query() query: UnpublishInput,
    @IfMatch() match: Precondition,
  ): Promise<FilterView> {
    return this.presenter.toViewWithoutModule(
      await this.catalog.unpublish(actor, UnpublishInput.resolveId(body, query), match),
    );
  }
}
