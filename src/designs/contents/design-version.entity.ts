import { Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { newId } from '../../core/database/base.entity.js';
import type { SourceType } from '../formats/source-type.js';

/** One immutable version of a design's content. Content and source are encrypted, because designs may contain secrets. */
@Entity('design_version')
export class DesignVersion {
  @ForeignKey('Design')
  @PrimaryColumn('uuid')
  designId!: string;

  /** From 1; no number is reused, and only unreferenced variants leave gaps. */
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

  /** The format of its content. */
  @Column('text')
  sourceType!: SourceType;

  /** The number of the version of which this one is a variant with other values; null for versions that were once current. */
  @Column('integer', { nullable: true })
  variantOf!: number | null;

  /** Of a rendering of a chart: the workspace in which the design was; null for other versions. */
  @Column('uuid', { nullable: true })
  workspaceId!: string | null;

  @Column('bytea', { select: false })
  content!: Buffer;

  @Column('bytea', { select: false, nullable: true })
  source!: Buffer | null;

  /** Of a rendering of a chart: the values that it generated, and for which release. Encrypted. */
  @Column('bytea', { select: false, nullable: true })
  generated!: Buffer | null;

  /** Hash of the connection, the namespace and the name of the release for which it generated them. */
  @Column('text', { nullable: true })
  generatedFor!: string | null;

  /** The name of the file that was imported. */
  @Column('text', { nullable: true })
  sourceName!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
