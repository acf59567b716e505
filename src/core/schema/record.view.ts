import { ObjectType } from '@nestjs/graphql';
import { IdField, TimeField } from './view-fields.js';

/** What a view shows of every record. */
interface StoredRecord {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
  revision: number;
}

/** The key of the revision in a view: no field of the answer. */
const REVISION = Symbol('revision');

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
    record: StoredRecord,
    fields: Omit<V, keyof RecordView>,
  ): V {
    return Object.assign(withRevision(view, record), {
      id: record.id,
      ...fields,
      created_at: record.createdAt,
      updated_at: record.updatedAt,
      deleted_at: record.deletedAt ?? null,
    });
  }
}

/** The view, marked as showing a record at its revision: its ETag is one that writes compare. */
export function withRevision<V extends object>(view: V, { revision }: { revision: number | string }): V {
  return Object.defineProperty(view, REVISION, { value: revision });
}

/** The revision of the record that a view shows, or undefined when it shows none. */
export const getRevision = (view: object): number | string | undefined =>
  (view as { [REVISION]?: number | string })[REVISION];
