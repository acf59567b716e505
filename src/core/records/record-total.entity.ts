import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** One addend of the number of records of one kind in an organization; the number is their sum. Triggers insert them. */
@Entity('record_total')
@Index('record_total_of_organization', { synchronize: false })
export class RecordTotal {
  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'BY DEFAULT' })
  id!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  /** The table of the records. */
  @Column('text')
  record!: string;

  @Column('bigint')
  amount!: string;
}
