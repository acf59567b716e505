import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { CatalogSelector } from '../../catalog/catalog.inputs.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { CONTENTS_WEIGHT } from '../../core/graphql/limits/query-size.js';
import { DesignPresenter } from '../design.presenter.js';
import type { DesignView } from '../design.view.js';
import { DesignContentsLoader } from '../contents/design-contents.loader.js';
import { CatalogPattern } from './catalog-pattern.view.js';
import { CatalogService } from './catalog.service.js';

@Resolver(() => CatalogPattern)
export class CatalogResolver {
  constructor(
    private readonly catalog: CatalogService,
    private readonly presenter: DesignPresenter,
    private readonly contents: DesignContentsLoader,
  ) {}

  /** A page of the published designs of the installation. */
  @Query(() => [CatalogPattern], { description: 'The catalog of designs.' })
  async fetchPatternCatalogContent(
    @CurrentActor() actor: Actor,
    @Args('selector', { type: () => CatalogSelector, nullable: true, description: 'Page, search, order and filter.' })
    selector: CatalogSelector | null,
  ): Promise<object[]> {
    const { items } = await this.catalog.list(actor, CatalogSelector.toQuery(selector));
    return this.presenter.toViews(items);
  }

  /** The published version of the design file, read only when it is selected. */
  @ResolveField(() => String, { nullable: true, complexity: CONTENTS_WEIGHT })
  pattern_file(@Parent() design: DesignView, @Context() context: object): Promise<string> {
    return this.contents.loadText(context, design);
  }
}
