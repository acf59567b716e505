import { Column, Entity, Index } from 'typeorm';
import { BaseEntity } from '../../core/database/base.entity.js';

/** A source that registered models, identified by kind and hostname. */
@Entity('registrant')
@Index('registrant_identity', ['kind', 'hostname'], { unique: true })
export class Registrant extends BaseEntity {
  @Column('text')
  hostname!: string;

  @Column('text')
  kind!: string;

  @Column('text', { default: 'registered' })
  status!: string;
}
