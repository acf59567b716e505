import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { BaseEntity } from '../../core/database/base.entity.js';
import type { JsonObject } from '../../core/json/json.js';
import type { EntryStatus } from '../entities/entry-status.js';

/** One version of a model: a group of components and relationships that one registrant published together. */
@Entity('model')
@Index('model_identity', ['registrantId', 'name', 'version'], { unique: true })
@Index('model_name_version', ['name', 'versionOrder'])
@Index('model_category', ['categorySlug'])
@Index('model_search', { synchronize: false })
export class Model extends BaseEntity {
  @ForeignKey('Registrant')
  @Column('uuid')
  registrantId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  version!: string;

  /** The version in a form that sorts in version order. */
  @Column({ type: 'text', collation: 'C' })
  versionOrder!: string;

  /** It is the highest enabled version of its registrant and name: the one shown in lists. */
  @Column('boolean', { default: false })
  latest!: boolean;

  @Column('text')
  displayName!: string;

  @Column('text', { default: '' })
  description!: string;

  @Column('text')
  category!: string;

  @Column('text')
  categorySlug!: string;

  @Column('text', { default: '' })
  subCategory!: string;

  @Column('boolean', { default: false })
  isAnnotation!: boolean;

  @Column('text', { default: 'enabled' })
  status!: EntryStatus;

  @Column('jsonb', { default: {} })
  metadata!: JsonObject;

  @Column('jsonb', { default: {} })
  rest!: JsonObject;

  @Column('text')
  digest!: string;

  /** The number of enabled ones. */
  @Column('int', { default: 0 })
  componentsCount!: number;

  @Column('int', { default: 0 })
  relationshipsCount!: number;
}
