import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { type Listing, recordOrder } from '../../core/listing/listing.js';
import { EntryStore } from '../registry.store.js';
import { Relationship } from './relationship.entity.js';

const BATCH = 500;

const { created_at, updated_at } = recordOrder<Relationship & { name: string }>('relationship');

const listing: Listing<Relationship> = {
  alias: 'relationship',
  pageSize: 25,
  order: {
    name: { sql: 'relationship.kind', type: 'text', of: ({ kind }) => kind },
    kind: { sql: 'relationship.kind', type: 'text', of: ({ kind }) => kind },
    type: { sql: 'relationship.type', type: 'text', of: ({ type }) => type },
    sub_type: { sql: 'relationship.sub_type', type: 'text', of: ({ subType }) => subType },
    ...({ created_at, updated_at } as Listing<Relationship>['order']),
  },
  defaultOrder: 'name asc',
  search: [
    'relationship.kind',
    'relationship.type',
    'relationship.sub_type',
    `(relationship.metadata->>'description')`,
  ],
};

@Injectable()
export class RelationshipsStore extends EntryStore<Relationship> {
  constructor(unit: UnitOfWork) {
    super(unit, Relationship, listing, BATCH);
  }

  ofModel(modelId: string): Promise<Relationship[]> {
    return this.ofModelBy(modelId, 'identity');
  }

  /** The enabled relationships of the latest version of every model. */
  holding(): Promise<Relationship[]> {
    return this.select()
      .where('relationship.listed AND relationship.model_id IN (SELECT id FROM model WHERE latest)')
      .orderBy('relationship.identity')
      .getMany();
  }
}
