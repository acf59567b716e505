import { Column, Entity } from 'typeorm';
import { TenantEntity } from '../core/database/base.entity.js';
import type { ConnectionStatus } from './connection-status.js';

/** An integration with a cluster or a tool; what it signs in with is a credential of its own. */
@Entity('connection')
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

  @Column('uuid', { nullable: true })
  credentialId!: string | null;

  /** The user who made it. */
  @Column('uuid')
  owner!: string;

  /** Server and user of a kubeconfig context, digested: registering the same again updates this connection. */
  @Column('text', { nullable: true })
  fingerprint!: string | null;
}
