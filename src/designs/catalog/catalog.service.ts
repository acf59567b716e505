import { Injectable } from '@nestjs/common';
import { parseCatalogData, technologiesOf } from '../../catalog/catalog-data.js';
import type { CatalogQuery, PublishInput } from '../../catalog/catalog.inputs.js';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Page } from '../../core/listing/page.js';
import type { Precondition } from '../../core/rest/precondition.js';
import type { Design } from '../design.entity.js';
import { DesignPublished, DesignUnpublished } from '../design.events.js';
import { designPolicy } from '../design.policy.js';
import { DesignsService } from '../designs.service.js';
import { DesignsStore } from '../designs.store.js';
import { DesignContentsStore } from '../contents/design-contents.store.js';
import { PublishedDesignsStore } from '../published-designs.store.js';
import type { PublishedDesign } from '../published-design.entity.js';

/** The designs that organizations publish. */
@Injectable()
export class CatalogService {
  constructor(
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly published: PublishedDesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, query: CatalogQuery): Promise<Page<PublishedDesign>> {
    assertScope(actor, designPolicy.read);
    return this.published.page(query);
  }

  /** Publishes the current version of a design, replacing an earlier publication. */
  async publish(actor: Actor, { id, catalog_data }: PublishInput, match: Precondition): Promise<Design> {
    const current = await this.designs.get(actor, id);
    await this.designs.assertAllowed(actor, 'publish', current);
    const said = parseCatalogData(catalog_data);
    const models = await this.contents.readModelNames(current);
    return this.unit.run(async () => {
      const design = await this.designs.getForUpdate(actor, id, 'publish', match);
      if (design.versionNumber !== current.versionNumber)
        throw new Conflict('CONCURRENT_CHANGE', 'the design has just been changed', { remedy: 'Repeat the call.' });
      const catalogData = { ...said, published_version: design.version, published_at: new Date().toISOString() };
      await this.store.update(design, { visibility: 'public', catalogData });
      await this.published.publish(design, actor.userId ?? '', technologiesOf(said, models));
      await this.events.publish(new DesignPublished(actor, design));
      return design;
    });
  }

  /** Unpublishes a design. One that is not published stays unchanged. */
  async unpublish(actor: Actor, id: string, match: Precondition): Promise<Design> {
    return this.unit.run(async () => {
      const design = await this.designs.getForUpdate(actor, id, 'publish', match);
      if (design.visibility !== 'public') return design;
      await this.store.update(design, { visibility: 'workspace', catalogData: {} });
      await this.published.unpublish(id);
      await this.events.publish(new DesignUnpublished(actor, design));
      return design;
    });
  }
}
