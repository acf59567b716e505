import { CreateDateColumn, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { RecordType } from '../record-types.js';

/** A record that a user has marked as a favourite. */
@Entity('favourite')
export class Favourite {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  @PrimaryColumn('text')
  type!: RecordType;

  /** No foreign key, because it may be a record of any type. */
  @PrimaryColumn('uuid')
  recordId!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
