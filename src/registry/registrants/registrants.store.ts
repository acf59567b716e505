import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { type ListQuery, MAX_PAGE_SIZE } from '../../core/listing/list-query.js';
import type { Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { Registrant } from './registrant.entity.js';

const listing: Listing<Registrant> = {
  alias: 'registrant',
  pageSize: MAX_PAGE_SIZE,
  order: {
    kind: { sql: 'registrant.kind', type: 'text', getValue: (registrant) => registrant.kind },
    hostname: { sql: 'registrant.hostname', type: 'text', getValue: (registrant) => registrant.hostname },
    created_at: { sql: 'registrant.created_at', type: 'timestamptz', getValue: (registrant) => registrant.createdAt },
  },
  defaultOrder: 'kind',
  search: ['registrant.kind', 'registrant.hostname'],
};

@Injectable()
export class RegistrantsStore extends Store<Registrant> {
  constructor(unit: UnitOfWork) {
    super(unit, Registrant, 'registrant');
  }

  page(query: ListQuery): Promise<Page<Registrant>> {
    return this.paginate(this.createQueryBuilder(), listing, query);
  }

  async findAll(ids: readonly string[]): Promise<Map<string, Registrant>> {
    const found = await this.createQueryBuilder().where('registrant.id = ANY(:ids)', { ids }).getMany();
    return new Map(found.map((each) => [each.id, each]));
  }
}
