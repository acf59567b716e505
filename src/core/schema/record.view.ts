import { ObjectType } from '@nestjs/graphql';
import { IdField, TimeField } from './view-fields.js';

/** The columns that every view shows. */
interface StoredRecord {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
  revision: number;
}

/** The key of the revision in a view; a symbol is not serialized. */
const REVISION = Symbol('revision');

/** Base class of views of records. Subclasses call `shape` first and then add their fields. */
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

/** A record and its revision. */
export interface RevisedRecord {
  /** Several ids for a record that relates others, such as the role of a user in a workspace. */
  id: string | readonly string[];
  revision: number | string;
}

/** The number of id characters in an ETag: the last ones, which are random. */
const ID_LENGTH = 12;

/**
 * Returns the first part of an ETag, which preconditions compare: the revision and the record id, because different
 * records have equal revisions.
 */
export const identifyRevision = ({ id, revision }: RevisedRecord): string =>
  [revision, ...[id].flat().map((each) => each.slice(-ID_LENGTH))].join('.');

/** Marks a view with its record's revision, so that its ETag can be used in preconditions. */
export function withRevision<V extends object>(view: V, record: RevisedRecord): V {
  return Object.defineProperty(view, REVISION, { value: identifyRevision(record) });
}

/** Returns the revision part of the ETag of a view; undefined for views without a record. */
export const getRevision = (view: object): string | undefined => (view as { [REVISION]?: string })[REVISION];
