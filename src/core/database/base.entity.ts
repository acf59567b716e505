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

/** A new id: UUID version 7, so that ids sort by the time they were made. */
export const newId = (): string => v7();

/** What every record has. Times have milliseconds, as the wire shows them, so that a cursor can compare them exactly. */
export abstract class BaseEntity {
  @PrimaryColumn('uuid')
  id: string = newId();

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  @DeleteDateColumn({ type: 'timestamptz', precision: 3 })
  deletedAt!: Date | null;

  /** Counts the changes of this record; it is the first part of its ETag. */
  @VersionColumn({ default: 1 })
  revision!: number;
}

/** A record of an organization: the unit of tenancy is on every row. */
export abstract class TenantEntity extends BaseEntity {
  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;
}

/** When a record was deleted: dependents that were deleted with it have the same time, and are restored with it. */
export function getDeletionTime(record: BaseEntity): Date {
  if (!record.deletedAt) throw new Error('the record is not deleted');
  return record.deletedAt;
}
