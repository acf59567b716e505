import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import type { Design } from '../design.entity.js';
import { Snapshot } from './snapshot.entity.js';

const listing: Listing<Snapshot> = {
  alias: 'snapshot',
  pageSize: 20,
  order: recordOrderColumns('snapshot'),
  defaultOrder: 'created_at desc',
  search: ['snapshot.name'],
};

@Injectable()
export class SnapshotsStore extends Store<Snapshot> {
  constructor(unit: UnitOfWork) {
    super(unit, Snapshot, listing.alias);
  }

  /** The snapshot with this name, ignoring case, if readers of this design may see it. */
  findNamed({ id, visibleVersions: [first, last] }: Design, name: string): Promise<Snapshot | null> {
    return this.createQueryBuilder()
      .where('snapshot.design_id = :id AND lower(snapshot.name) = lower(:name)', { id, name })
      .andWhere('snapshot.number BETWEEN :first AND :last', { first, last })
      .getOne();
  }

  /** The snapshots of the versions that readers of this design may see. */
  page({ id, visibleVersions: [first, last] }: Design, query: ListQuery): Promise<Page<Snapshot>> {
    const rows = this.createQueryBuilder().where('snapshot.design_id = :id', { id });
    rows.andWhere('snapshot.number BETWEEN :first AND :last', { first, last });
    return this.paginate(rows, listing, query);
  }
}
