import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { SourceType } from '../formats/source-type.js';

/** The publication of a design in the catalog: one version of it, under the name that it had when it was published. */
@Entity('publication')
@ForeignKey('DesignVersion', ['designId', 'number'], ['designId', 'number'])
@Index('publication_created', ['createdAt', 'designId'])
@Index('publication_published', ['publishedAt', 'designId'])
@Index('publication_technologies', ['technologies'], { type: 'gin' })
@Index('publication_search', { synchronize: false })
export class Publication {
  @ForeignKey('Design')
  @PrimaryColumn('uuid')
  designId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  /** The number of the published version. */
  @Column('integer')
  number!: number;

  @Column('text')
  name!: string;

  @Column('text')
  version!: string;

  @Column('text')
  sourceType!: SourceType;

  @Column('text')
  unsupported!: string;

  @Column('text', { array: true })
  technologies!: string[];

  @ForeignKey('User')
  @Column('uuid')
  publishedBy!: string;

  /** When the design was created. */
  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  publishedAt!: Date;
}
