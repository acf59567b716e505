import { ObjectType } from '@nestjs/graphql';
import type { BaseEntity } from '../database/base.entity.js';
import { IdField, TimeField } from './view-fields.js';

const revisionByView = new WeakMap<object, number>();

/** What every record shows of itself. Subclasses call `shape` first and then add their own fields. */
@ObjectType({ isAbstract: true })
export abstract class RecordView {
  @IdField()
  id!: string;

  @TimeField()
  created_at!: Date;

  @TimeField()
  updated_at!: Date;

  @TimeField({ nullable: true })
  deleted_at!: Date | null;

  protected static assignRecord<V extends RecordView>(
    view: V,
    record: BaseEntity,
    fields: Omit<V, keyof RecordView>,
  ): V {
    revisionByView.set(view, record.revision);
    return Object.assign(view, {
      id: record.id,
      ...fields,
      created_at: record.createdAt,
      updated_at: record.updatedAt,
      deleted_at: record.deletedAt ?? null,
    });
  }
}

/** The revision of the record that a view shows, or undefined when it shows none. */
export const getRevision = (view: object): number | undefined => revisionByView.get(view);
