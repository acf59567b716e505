import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { type Listing, recordOrder } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { walkAll } from '../../core/listing/paginate.js';
import { slugOf } from '../models/category.js';
import { orderWithSort, type RegistryListQuery, type RegistryScope, statusFor } from '../registry-list-query.js';
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
export class RelationshipsStore extends Store<Relationship> {
  constructor(unit: UnitOfWork) {
    super(unit, Relationship, 'relationship');
  }

  page(query: RegistryListQuery, scope: RegistryScope): Promise<Page<Relationship>> {
    return this.paginate(this.asked(query, scope), listing, { ...query, order: orderWithSort(query) });
  }

  all(query: RegistryListQuery, scope: RegistryScope): AsyncIterable<Relationship[]> {
    return walkAll(this.asked(query, scope), listing, { ...query, order: orderWithSort(query) }, BATCH);
  }

  find(id: string): Promise<Relationship | null> {
    return this.select().where('relationship.id = :id', { id }).getOne();
  }

  lock(id: string): Promise<Relationship | null> {
    return this.select().where('relationship.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  /** All relationships of a model, disabled ones too, in one order. */
  ofModel(modelId: string): Promise<Relationship[]> {
    return this.select()
      .where('relationship.model_id = :modelId', { modelId })
      .orderBy('relationship.identity')
      .getMany();
  }

  /** The enabled relationships of the latest version of every model. */
  holding(): Promise<Relationship[]> {
    return this.select()
      .where('relationship.listed AND relationship.model_id IN (SELECT id FROM model WHERE latest)')
      .orderBy('relationship.identity')
      .getMany();
  }

  private asked(query: RegistryListQuery, scope: RegistryScope): SelectQueryBuilder<Relationship> {
    const rows = this.select();
    const status = statusFor(query, scope);
    if (status === 'enabled') rows.andWhere('relationship.listed');
    if (status === 'disabled') rows.andWhere('NOT relationship.listed');
    const model = [
      scope.category ? 'category_slug = :slug' : '',
      scope.model ? 'name = :model' : '',
      query.version ? 'version = :version' : '',
    ].filter(Boolean);
    if (model.length > 0)
      rows.andWhere(`relationship.model_id IN (SELECT id FROM model WHERE ${model.join(' AND ')})`, {
        slug: slugOf(scope.category ?? ''),
        model: scope.model,
        version: query.version,
      });
    return rows;
  }
}
