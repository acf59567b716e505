import { Args, Query, Resolver } from '@nestjs/graphql';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import type { Envelope } from '../core/listing/page.js';
import { PageFilter } from '../core/listing/page-filter.js';
import { DesignListQuery } from './design.inputs.js';
import { DesignPage, DesignView } from './design.view.js';
import { DesignPresenter } from './design-presenter.js';
import { DesignsService } from './designs.service.js';

@Resolver(() => DesignView)
export class DesignsResolver {
  constructor(
    private readonly designs: DesignsService,
    private readonly presenter: DesignPresenter,
  ) {}

  @Query(() => DesignPage)
  async fetchPatterns(@Caller() actor: Actor, @Args('selector') selector: PageFilter): Promise<Envelope> {
    const query = Object.assign(selector.into(new DesignListQuery()), {
      visibility: selector.visibility ?? undefined,
      from: selector.from ?? undefined,
      to: selector.to ?? undefined,
      updated_after: selector.updated_after ?? undefined,
    });
    return this.presenter.page(await this.designs.list(actor, query), 'pattern_file');
  }
}
