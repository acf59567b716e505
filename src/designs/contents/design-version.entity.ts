import { Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { newId } from '../../core/database/base.entity.js';
import type { SourceType } from '../formats/source-type.js';

/** One state of a design's content; it never changes. Content and source are sealed, for designs may hold secrets. */
@Entity('design_version')
export class DesignVersion {
  @ForeignKey('Design')
  @PrimaryColumn('uuid')
  designId!: string;

  /** From 1; no number is given twice, and only variants that nothing refers to any more leave gaps. */
  @PrimaryColumn('integer')
  number!: number;

  @Column('uuid')
  id: string = newId();

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  /** Semver. */
  @Column('text')
  version!: string;

  @ForeignKey('User')
  @Column('uuid')
  userId!: string;

  @Column('text', { default: '' })
  message!: string;

  /** What its content was read as. */
  @Column('text')
  sourceType!: SourceType;

  /** The number of the version that this one is with other values; null for what was once the current version. */
  @Column('integer', { nullable: true })
  variantOf!: number | null;

  @Column('bytea', { select: false })
  content!: Buffer;

  @Column('bytea', { select: false, nullable: true })
  source!: Buffer | null;

  /** The name of the file that was imported. */
  @Column('text', { nullable: true })
  sourceName!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
