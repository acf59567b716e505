import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** A window in which nothing is deployed to an environment; with a recurrence rule it repeats. */
@Entity('environment_freeze')
@Index('environment_freeze_environment', ['environmentId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
export class Freeze extends TenantEntity {
  @ForeignKey('Environment')
  @Column('uuid')
  environmentId!: string;

  @Column('text')
  name!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  startsAt!: Date;

  /** The end of the first window; the others have the same length by the clock of the time zone. */
  @Column({ type: 'timestamptz', precision: 3 })
  endsAt!: Date;

  /** A rule of RFC 5545, without the name of the property. */
  @Column('text', { nullable: true })
  recurrence!: string | null;

  /** The name of an IANA time zone. */
  @Column('text')
  timezone!: string;

  @Column('text', { default: '' })
  message!: string;
}
