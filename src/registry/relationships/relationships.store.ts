import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import { ModelEntryStore } from '../entities/registry-entity.store.js';
import { Relationship } from './relationship.entity.js';

const BATCH_SIZE = 500;

const { created_at, updated_at } = recordOrderColumns<Relationship & { name: string }>('relationship');

const listing: Listing<Relationship> = {
  alias: 'relationship',
  pageSize: 25,
  order: {
    name: { sql: 'relationship.kind', type: 'text', getValue: ({ kind }) => kind },
    kind: { sql: 'relationship.kind', type: 'text', getValue: ({ kind }) => kind },
    type: { sql: 'relationship.type', type: 'text', getValue: ({ type }) => type },
    sub_type: { sql: 'relationship.sub_type', type: 'text', getValue: ({ subType }) => subType },
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
export class RelationshipsStore extends ModelEntryStore<Relationship> {
  constructor(unit: UnitOfWork) {
    super(unit, Relationship, listing, BATCH_SIZE);
  }

  findByModel(modelId: string): Promise<Relationship[]> {
    return this.findByModelInOrder(modelId, 'identity');
  }

  /** The enabled relationships of the latest version of every model. */
  findEffective(): Promise<Relationship[]> {
    return this.createQueryBuilder()
      .where('relationship.listed AND relationship.model_id IN (SELECT id FROM model WHERE latest)')
      .orderBy('relationship.identity')
      .getMany();
  }
}
