import { Column, Entity, Index } from 'typeorm';
import { WorkspaceOwnedEntity } from '../workspaces/workspace-owned/workspace-owned.entity.js';
import type { SourceType } from './formats/source-type.js';
import { MAX_VERSION_NUMBER } from './contents/version-number.js';

/** Where the source of a design came from. */
export interface DesignLocation {
  type: 'upload' | 'url' | 'inline' | 'clone';
  host: string;
  path: string;
  branch: string;
}

/** The version of a design that another was cloned from, as it was then. */
export interface CloneOrigin {
  id: string;
  name: string;
  version: string;
  version_number: number;
}

/** Declarative infrastructure. It lives in exactly one workspace; its content is kept version by version. */
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

  /** The same as semver, also written in the design file. */
  @Column('text')
  version!: string;

  @Column('jsonb', { default: {} })
  location!: DesignLocation;

  @Column('jsonb', { nullable: true })
  clonedFrom!: CloneOrigin | null;

  /** What the catalog says of it while it is public. */
  @Column('jsonb', { default: {} })
  catalogData!: Record<string, unknown>;

  /** The first reason why it cannot be deployed; empty when it can. */
  @Column('text', { default: '' })
  unsupported!: string;

  @Column('integer', { default: 0 })
  deploymentCount!: number;

  /** The versions of which a reader of this record may know, first and last. */
  get visibleVersions(): [first: number, last: number] {
    return [1, MAX_VERSION_NUMBER];
  }
}
