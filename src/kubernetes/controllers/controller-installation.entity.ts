import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';
import type { ObjectReference } from '../clusters/kubernetes-object.js';

export const CONTROLLER_TARGETS = ['enabled', 'disabled'] as const;
export type ControllerTarget = (typeof CONTROLLER_TARGETS)[number];

/** Why the target was not reached. */
export interface ControllerFailure {
  code: string;
  detail: string;
  remedy: string;
}

/** The operator with its components, or an adapter, on one cluster: the target and the installed objects. */
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

  /** The number of the request for the target; each request has the next one. */
  @Column('integer', { default: 0 })
  request!: number;

  /** Whether a job for the target is outstanding. */
  @Column('boolean')
  pending!: boolean;

  /** The port of an adapter. */
  @Column('integer', { nullable: true })
  port!: number | null;

  /** The user who requested the target; the job checks the permission again. */
  @ForeignKey('User')
  @Column('uuid')
  requestedBy!: string;

  @Column('jsonb', { nullable: true })
  failure!: ControllerFailure | null;

  /** All objects that were applied and may still exist; stored before they are applied. */
  @Column('jsonb', { default: [] })
  objects!: ObjectReference[];
}
