import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';
import type { ObjectReference } from '../clusters/kubernetes-object.js';

export const CONTROLLER_TARGETS = ['enabled', 'disabled'] as const;
export type ControllerTarget = (typeof CONTROLLER_TARGETS)[number];

/** Why it did not become what was wanted. */
export interface ControllerFailure {
  code: string;
  detail: string;
  remedy: string;
}

/** The operator with what belongs to it, or an adapter, on one cluster: what is wanted, and what was done for it. */
@Entity('controller_installation')
@Index('controller_installation_connection', ['connectionId', 'name'], { unique: true })
export class ControllerInstallation extends TenantEntity {
  @ForeignKey('Connection')
  @Column('uuid')
  connectionId!: string;

  /** `operator`, or `adapter-` and the name of the adapter. */
  @Column('text')
  name!: string;

  @Column('text')
  target!: ControllerTarget;

  /** A job is still to do what is wanted. */
  @Column('boolean')
  pending!: boolean;

  /** The port of an adapter. */
  @Column('integer', { nullable: true })
  port!: number | null;

  /** Who wanted it; their right is asked again when it is done. */
  @ForeignKey('User')
  @Column('uuid')
  requestedBy!: string;

  @Column('jsonb', { nullable: true })
  failure!: ControllerFailure | null;

  /** Everything that was applied for it and may still be there; written before it is applied. */
  @Column('jsonb', { default: [] })
  objects!: ObjectReference[];
}
