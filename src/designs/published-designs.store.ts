import { Injectable } from '@nestjs/common';
import type { CatalogQuery } from '../catalog/catalog.inputs.js';
import { applyCatalogFilters } from '../catalog/apply-catalog-filters.js';
import { Store } from '../core/database/store.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { Design } from './design.entity.js';
import { PublishedDesign } from './published-design.entity.js';

const listing: Listing<PublishedDesign> = {
  alias: 'published',
  pageSize: 10,
  order: {
    ...recordOrderColumns('published'),
    deployment_count: {
      sql: 'published.deployment_count',
      type: 'bigint',
      getValue: (design) => design.deploymentCount,
    },
    clone_count: { sql: 'published.clone_count', type: 'bigint', getValue: (design) => design.cloneCount },
    download_count: { sql: 'published.download_count', type: 'bigint', getValue: (design) => design.downloadCount },
  },
  defaultOrder: 'created_at desc',
  search: ['published.name'],
};

/** The published designs of the installation. Everyone who is signed in may read them. */
@Injectable()
export class PublishedDesignsStore extends Store<PublishedDesign> {
  constructor(unit: UnitOfWork) {
    super(unit, PublishedDesign, listing.alias);
  }

  page(query: CatalogQuery): Promise<Page<PublishedDesign>> {
    const rows = this.createQueryBuilder();
    applyCatalogFilters(rows, listing.alias, query);
    return this.paginate(rows, listing, query);
  }

  find(id: string): Promise<PublishedDesign | null> {
    return this.createQueryBuilder().where('published.id = :id', { id }).getOne();
  }

  /** Publishes the design as it is now, replacing the earlier publication. */
  async publish(design: Design, userId: string, technologies: string[]): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO publication (design_id, organization_id, number, name, version, source_type, unsupported, technologies, published_by, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (design_id) DO UPDATE SET number = excluded.number, name = excluded.name, version = excluded.version,
         source_type = excluded.source_type, unsupported = excluded.unsupported, technologies = excluded.technologies,
         published_by = excluded.published_by, published_at = now()`,
      [
        design.id,
        design.organizationId,
        design.versionNumber,
        design.name,
        design.version,
        design.sourceType,
        design.unsupported,
        technologies,
        userId,
        design.createdAt,
      ],
    );
  }

  async unpublish(designId: string): Promise<void> {
    await this.unit.manager.query('DELETE FROM publication WHERE design_id = $1', [designId]);
  }
}
