import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A part of the number of records of one kind in an organization, which is the sum of its parts; triggers add them. */
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
