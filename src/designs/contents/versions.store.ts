import { Injectable } from '@nestjs/common';
import { EntitySelect } from '../../core/database/entity-select.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { paginate } from '../../core/listing/paginate.js';
import { DesignVersion } from './design-version.entity.js';

const listing: Listing<DesignVersion> = {
  alias: 'version',
  pageSize: 20,
  order: {
    number: { sql: 'version.number', type: 'bigint', getValue: ({ number }) => number },
    created_at: { sql: 'version.created_at', type: 'timestamptz', getValue: ({ createdAt }) => createdAt },
  },
  defaultOrder: 'number desc',
  search: ['version.message', 'version.version'],
};

/** A design whose reader may see a range of versions, first and last. */
export interface VersionedDesign {
  id: string;
  visibleVersions: [first: number, last: number];
}

/** The versions of designs, without their contents. */
@Injectable()
export class VersionsStore {
  private readonly records = new EntitySelect<DesignVersion>();

  constructor(private readonly unit: UnitOfWork) {}

  /** The versions that readers of this design may see. */
  page(design: VersionedDesign, query: ListQuery): Promise<Page<DesignVersion>> {
    return paginate(this.selectVisible(design), listing, query, {
      getMany: (page, options) => this.records.getMany(this.unit.manager, page, options),
    });
  }

  find(design: VersionedDesign, number: number): Promise<DesignVersion | null> {
    return this.selectVisible(design).andWhere('version.number = :number', { number }).getOne();
  }

  /** Variants of a version with other values that were made in a workspace, latest first. */
  findVariants(
    design: VersionedDesign & { workspaceId: string },
    number: number,
    most: number,
    generatedFor?: string,
  ): Promise<DesignVersion[]> {
    const { workspaceId } = design;
    const found = this.selectVisible(design)
      .andWhere('version.variant_of = :number', { number })
      .andWhere('(version.workspace_id = :workspaceId OR version.workspace_id IS NULL)', { workspaceId });
    if (generatedFor !== undefined) found.andWhere('version.generated_for = :generatedFor', { generatedFor });
    return found.orderBy('version.number', 'DESC').limit(most).getMany();
  }

  /** The number of the previous current version; undefined when there was none. */
  async findPreviousNumber(design: VersionedDesign, number: number): Promise<number | undefined> {
    const found = await this.selectVisible(design)
      .andWhere('version.number < :number AND version.variant_of IS NULL', { number })
      .orderBy('version.number', 'DESC')
      .limit(1)
      .getOne();
    return found?.number;
  }

  /** The version with the highest number, whether it is current or not. */
  getLatest(designId: string): Promise<DesignVersion> {
    return this.select()
      .where('version.design_id = :designId', { designId })
      .orderBy('version.number', 'DESC')
      .limit(1)
      .getOneOrFail();
  }

  private selectVisible({ id, visibleVersions: [first, last] }: VersionedDesign) {
    return this.select()
      .where('version.design_id = :id', { id })
      .andWhere('version.number BETWEEN :first AND :last', { first, last });
  }

  private select() {
    return this.unit.manager.getRepository(DesignVersion).createQueryBuilder('version');
  }
}
