import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CatalogQuery, PublishInput, UnpublishInput } from '../../catalog/catalog.inputs.js';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import type { Envelope } from '../../core/listing/page.js';
import { RequiresIn } from '../../core/rest/rights/requires.js';
import { filterPolicy } from '../filter.policy.js';
import { CatalogFilterPage, FilterView } from '../filter.view.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { FilterPresenter } from '../filter-presenter.js';
import { FiltersService } from '../filters.service.js';
import { FilterCatalog } from './filter-catalog.service.js';

@ApiTags('filters')
@ApiBearerAuth()
@Controller('api/filter/catalog')
export class FilterCatalogController {
  constructor(
    private readonly catalog: FilterCatalog,
    private readonly presenter: FilterPresenter,
  ) {}

  @Get()
  @ApiOkResponse({ type: CatalogFilterPage })
  async list(@Caller() actor: Actor, @Query() query: CatalogQuery): Promise<Envelope> {
    return this.presenter.catalog(await this.catalog.page(actor, query), query.populate);
  }

  @Post('publish')
  @RequiresIn(filterPolicy.publish, FiltersService)
  @HttpCode(200)
  @ApiOkResponse({ type: FilterView })
  async publish(
    @Caller() actor: Actor,
    @Body() input: PublishInput,
    @IfMatch() match: Precondition,
  ): Promise<FilterView> {
    return this.presenter.plain(await this.catalog.publish(actor, input, match));
  }

  /** The id is in the body or, for proxies that drop the bodies of DELETE, in the query. */
  @Delete('unpublish')
  @RequiresIn(filterPolicy.publish, FiltersService)
  @ApiOkResponse({ type: FilterView })
  async unpublish(
    @Caller() actor: Actor,
    @Body() body: UnpublishInput,
    @Query() query: UnpublishInput,
    @IfMatch() match: Precondition,
  ): Promise<FilterView> {
    return this.presenter.plain(await this.catalog.unpublish(actor, UnpublishInput.idOf(body, query), match));
  }
}
