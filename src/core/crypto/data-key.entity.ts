import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The key that encrypts the secrets of one organization, itself wrapped by the key service. */
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

  /** The key of the key service that wraps this one. */
  @Column('text')
  keyId!: string;

  /** When another key replaced it for encryption; it still decrypts existing values. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiredAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
