import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { KeptObject } from './plan/kept-objects.js';

/**
 * What the deployments of a design have on a cluster, or left there, without labels that identify the design; kept also after it was
 * undeployed.
 */
@Entity('kept_objects')
@Index('kept_objects_uids', { synchronize: false })
export class KeptObjectsRecord {
  @ForeignKey('Design', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  designId!: string;

  @ForeignKey('Connection', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  connectionId!: string;

  @PrimaryColumn('uuid')
  environmentId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  @Column('jsonb')
  objects!: KeptObject[];
}
