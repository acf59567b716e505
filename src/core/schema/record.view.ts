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

/** A record at one of its revisions. */
export interface RevisedRecord {
  /** Several for what relates records, such as the role of a user in a workspace. */
  id: string | readonly string[];
  revision: number | string;
}

/** Characters of an id that distinguish a record from others: those at the end, which are random. */
const ID_LENGTH = 12;

/** What tags begin with and preconditions compare: the revision, and whose it is, for records begin with the same one. */
export const identifyRevision = ({ id, revision }: RevisedRecord): string =>
  [revision, ...[id].flat().map((each) => each.slice(-ID_LENGTH))].join('.');

/** The view, marked as showing a record at its revision: its ETag is one that writes compare. */
export function withRevision<V extends object>(view: V, record: RevisedRecord): V {
  return Object.defineProperty(view, REVISION, { value: identifyRevision(record) });
}

/** The revision of the record that a view shows, as tags have it, or undefined when it shows none. */
export const getRevision = (view: object): string | undefined => (view as { [REVISION]?: string })[REVISION];
