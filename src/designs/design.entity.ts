import { Column, Entity, Index } from 'typeorm';
import { WorkspaceOwnedEntity } from '../workspaces/workspace-owned/workspace-owned.entity.js';
import type { SourceType } from './formats/source-type.js';
import { MAX_VERSION_NUMBER } from './contents/version-number.js';

/** The origin of the source of a design. */
export interface DesignLocation {
  type: 'upload' | 'url' | 'inline' | 'clone' | 'cluster';
  host: string;
  path: string;
  branch: string;
}

/** The version of a design that another was cloned from, at that time. */
export interface CloneOrigin {
  id: string;
  name: string;
  version: string;
  version_number: number;
}

/** Declarative infrastructure. It belongs to exactly one workspace; its content is stored version by version. */
@Entity('design')
@Index('design_created', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('design_workspace', ['workspaceId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('design_search', { synchronize: false })
@Index('design_shared', ['organizationId'], { where: "visibility = 'organization' AND deleted_at IS NULL" })
export class Design extends WorkspaceOwnedEntity {
  @Column('text')
  sourceType!: SourceType;

  /** The number of the current version, from 1. */
  @Column('integer', { default: 1 })
  versionNumber!: number;

  /** The same value as `semver`, which is also part of the design file. */
  @Column('text')
  version!: string;

  @Column('jsonb', { default: {} })
  location!: DesignLocation;

  @Column('jsonb', { nullable: true })
  clonedFrom!: CloneOrigin | null;

  /** Its description in the catalog while it is published. */
  @Column('jsonb', { default: {} })
  catalogData!: Record<string, unknown>;

  /** The first reason why it cannot be deployed; empty when it can. */
  @Column('text', { default: '' })
  unsupported!: string;

  @Column('integer', { default: 0 })
  deploymentCount!: number;

  /** The values of the Secrets that it was read from a cluster with, which nobody is shown; sealed. */
  @Column('bytea', { nullable: true, select: false })
  sealedValues?: Buffer | null;

  /** The first and the last version that a reader of this record may see. */
  get visibleVersions(): [first: number, last: number] {
    return [1, MAX_VERSION_NUMBER];
  }
}
