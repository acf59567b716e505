import { Args, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import type { Envelope } from '../core/listing/page.js';
import { PageFilter } from '../core/listing/page-filter.js';
import { DesignListQuery } from './design.inputs.js';
import { CatalogSelector } from '../catalog/catalog.inputs.js';
import { CatalogPattern } from './catalog/catalog-pattern.view.js';
import { CatalogService } from './catalog/catalog.service.js';
import { DesignPage, DesignView } from './design.view.js';
import { DesignPresenter } from './design-presenter.js';
import { DesignsService } from './designs.service.js';

@Resolver(() => DesignView)
export class DesignsResolver {
  constructor(
    private readonly designs: DesignsService,
    private readonly catalog: CatalogService,
    private readonly presenter: DesignPresenter,
  ) {}

  @Query(() => DesignPage)
  async fetchPatterns(@Caller() actor: Actor, @Args('selector') selector: PageFilter): Promise<Envelope> {
    const query = selector.intoNarrowed(new DesignListQuery());
    return this.presenter.page(await this.designs.list(actor, query), 'pattern_file');
  }

  /** A page of the published designs of the installation. */
  @Query(() => [CatalogPattern])
  async fetchPatternCatalogContent(
    @Caller() actor: Actor,
    @Args('selector', { type: () => CatalogSelector, nullable: true }) selector: CatalogSelector | null,
  ): Promise<object[]> {
    const page = await this.catalog.list(actor, CatalogSelector.queryOf(selector));
    return this.presenter.shown(page, 'pattern_file');
  }
}
