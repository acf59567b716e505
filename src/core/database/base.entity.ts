import {
  Column,
  CreateDateColumn,
  DeleteDateColumn,
  ForeignKey,
  PrimaryColumn,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';
import { v7 } from 'uuid';

/** Creates a UUID version 7; these ids sort by creation time. */
export const newId = (): string => v7();

/** The columns of every record. Times have a precision of milliseconds, as in the API, so that cursors compare exactly. */
export abstract class BaseEntity {
  @PrimaryColumn('uuid')
  id: string = newId();

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  @DeleteDateColumn({ type: 'timestamptz', precision: 3 })
  deletedAt!: Date | null;

  /** Counts the changes of this record; first part of its ETag. */
  @VersionColumn({ default: 1 })
  revision!: number;
}

/** A record that belongs to an organization. */
export abstract class TenantEntity extends BaseEntity {
  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;
}

/**
 * Returns the deletion time of a deleted record. Dependents deleted with it have the same time and are restored with
 * it.
 * @throws Error when the record is not deleted
 */
export function getDeletionTime(record: BaseEntity): Date {
  if (!record.deletedAt) throw new Error('the record is not deleted');
  return record.deletedAt;
}
