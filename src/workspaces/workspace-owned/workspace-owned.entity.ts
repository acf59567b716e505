import { Column, ForeignKey } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** Who sees records of a workspace: its members, the whole organization, or everyone who is signed in. */
export const VISIBILITIES = ['workspace', 'organization', 'public'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Visibilities that are set directly; `public` is set by publishing. */
export const SETTABLE_VISIBILITIES = ['workspace', 'organization'] as const;

/** A record that belongs to exactly one workspace and may be shared beyond it. */
export abstract class WorkspaceOwnedEntity extends TenantEntity {
  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @Column('text')
  name!: string;

  /** The user who owns it. */
  @ForeignKey('User')
  @Column('uuid')
  userId!: string;

  @Column('text', { default: 'workspace' })
  visibility!: Visibility;

  @Column('integer', { default: 0 })
  cloneCount!: number;

  @Column('integer', { default: 0 })
  downloadCount!: number;
}
