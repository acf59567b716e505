import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The key that one organization's secrets are sealed with, itself wrapped by the key service. */
@Entity('data_key')
@Index('data_key_organization', { synchronize: false })
export class DataKey {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null for secrets of the installation itself. */
  @ForeignKey('Organization')
  @Column('uuid', { nullable: true })
  organizationId!: string | null;

  @Column('bytea')
  wrapped!: Buffer;

  /** The key of the key service that it is wrapped with. */
  @Column('text')
  keyId!: string;

  /** Since when another one seals in its place; it still opens what it has sealed. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiredAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
