import { Injectable } from '@nestjs/common';
import { parseCatalogData, technologiesOf } from '../../catalog/catalog-data.js';
import type { CatalogQuery, PublishInput } from '../../catalog/catalog.inputs.js';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Page } from '../../core/listing/page.js';
import type { Precondition } from '../../core/rest/precondition.js';
import type { Filter } from '../filter.entity.js';
import { FilterPublished, FilterUnpublished } from '../filter.events.js';
import { filterPolicy } from '../filter.policy.js';
import { FiltersService } from '../filters.service.js';
import { FiltersStore } from '../filters.store.js';

/** Published filters, which every signed-in user may read. */
@Injectable()
export class FilterCatalogService {
  constructor(
    private readonly filters: FiltersService,
    private readonly store: FiltersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  page(actor: Actor, query: CatalogQuery): Promise<Page<Filter>> {
    assertScope(actor, filterPolicy.read);
    return this.store.pageOfCatalog(query);
  }

  /** Publishing a published filter replaces its catalog data. */
  publish(actor: Actor, { id, catalog_data }: PublishInput, match: Precondition): Promise<Filter> {
    return this.unit.run(async () => {
      const filter = await this.filters.getForUpdate(actor, id, 'publish', match);
      const data = parseCatalogData(catalog_data);
      await this.store.update(filter, {
        visibility: 'public',
        catalogData: { ...data, published_version: filter.digest, published_at: new Date().toISOString() },
        technologies: technologiesOf(data, filter.metadata.abi === null ? [] : ['proxy-wasm']),
      });
      await this.events.publish(new FilterPublished(actor, filter, { type: data.type }));
      return filter;
    });
  }

  /** Removes a filter from the catalog. Unpublishing one that is not published changes nothing. */
  unpublish(actor: Actor, id: string, match: Precondition): Promise<Filter> {
    return this.unit.run(async () => {
      const filter = await this.filters.getForUpdate(actor, id, 'publish', match);
      if (!filter.isPublished) return filter;
      await this.store.update(filter, { visibility: 'workspace', catalogData: {}, technologies: [] });
      await this.events.publish(new FilterUnpublished(actor, filter));
      return filter;
    });
  }
}
