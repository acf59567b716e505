import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PublishInput, UnpublishInput } from '../../catalog/catalog.inputs.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { filterPolicy } from '../filter.policy.js';
import { CatalogFilterPage, FilterView } from '../filter.view.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { FilterPresenter } from '../filter.presenter.js';
import { FiltersService } from '../filters.service.js';
import { FilterCatalogService } from './filter-catalog.service.js';
import { FilterCatalogQuery } from '../filter.inputs.js';

@ApiTags('filters')
@Controller('filter/catalog')
export class FilterCatalogController {
  constructor(
    private readonly catalog: FilterCatalogService,
    private readonly presenter: FilterPresenter,
  ) {}

  @RestOperation('listCatalogFilters', 'List the catalog of filters', 'Lists published filters.')
  @Get()
  @ApiOkResponse({ type: CatalogFilterPage })
  async list(@CurrentActor() actor: Actor, @Query() query: FilterCatalogQuery): Promise<PageEnvelope> {
    return this.presenter.toCatalogPage(await this.catalog.page(actor, query), query.populate);
  }

  @RestOperation('publishFilter', 'Publish a filter', 'Publishes a filter to everyone who is signed in.')
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

  @RestOperation(
    'unpublishFilter',
    'Unpublish a filter',
    'Takes a filter out of the catalog. The id is sent in the body or, where proxies drop the bodies of DELETE, in the query.',
  )
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
