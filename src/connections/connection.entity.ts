import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../core/database/base.entity.js';
import type { ConnectionStatus } from './connection-status.js';

/** An integration with a cluster or a tool; its secret is a separate credential. */
@Entity('connection')
@Index('connection_created', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('connection_credential', ['credentialId'])
@Index('connection_fingerprint', ['organizationId', 'fingerprint'], { unique: true, where: 'deleted_at IS NULL' })
@Index('connection_search', { synchronize: false })
export class Connection extends TenantEntity {
  @Column('text')
  name!: string;

  @Column('text')
  kind!: string;

  @Column('text')
  type!: string;

  @Column('text')
  subType!: string;

  @Column('text')
  status!: ConnectionStatus;

  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;

  /** What is masked in the metadata: a `HiddenMembers`, encrypted by the vault. */
  @Column('bytea', { select: false, nullable: true })
  metadataSecrets!: Buffer | null;

  @ForeignKey('Credential')
  @Column('uuid', { nullable: true })
  credentialId!: string | null;

  /** The user who created it. */
  @ForeignKey('User')
  @Column('uuid')
  owner!: string;

  /** Hash of server and user of a kubeconfig context: registering the same pair again updates this connection. */
  @Column('text', { nullable: true })
  fingerprint!: string | null;
}
