import { Column, Entity, Index } from 'typeorm';
import { Conflict } from '../core/errors/app-error.js';
import type { DesignLocation } from '../designs/design.entity.js';
import { WorkspaceOwnedEntity } from '../workspaces/workspace-owned/workspace-owned.entity.js';
import type { ModuleFacts } from './wasm/module-facts.js';

/** The filter that another was made of, as it was then. */
export interface FilterOrigin {
  id: string;
  name: string;
  digest: string;
}

/** A WebAssembly module that proxies run on their traffic, with its configuration. It lives in exactly one workspace. */
@Entity('filter')
@Index('filter_created', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('filter_workspace', ['workspaceId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('filter_search', { synchronize: false })
@Index('filter_shared', ['organizationId'], { where: "visibility = 'organization' AND deleted_at IS NULL" })
@Index('filter_catalog', ['createdAt', 'id'], { where: "visibility = 'public' AND deleted_at IS NULL" })
@Index('filter_technologies', ['technologies'], { type: 'gin', where: "visibility = 'public' AND deleted_at IS NULL" })
export class Filter extends WorkspaceOwnedEntity {
  /** The module, packed and sealed. */
  @Column('bytea', { select: false })
  content!: Buffer;

  /** The configuration, sealed; null when there is none. */
  @Column('bytea', { nullable: true, select: false })
  resource!: Buffer | null;

  /** Bytes of the module. */
  @Column('integer')
  size!: number;

  /** Of the module, as `sha256:` and hex digits. */
  @Column('text')
  digest!: string;

  @Column('jsonb', { default: {} })
  metadata!: ModuleFacts;

  /** Where the module came from, as of designs. */
  @Column('jsonb', { default: {} })
  location!: DesignLocation;

  @Column('jsonb', { nullable: true })
  clonedFrom!: FilterOrigin | null;

  @Column('jsonb', { default: {} })
  catalogData!: Record<string, unknown>;

  /** What the catalog is narrowed by, as it compares them. */
  @Column('text', { array: true, default: [] })
  technologies!: string[];

  get isPublished(): boolean {
    return this.visibility === 'public';
  }

  /** What strangers may know of it: not where its makers have it from. */
  hideOrigin(): this {
    this.location = { type: this.location.type, host: '', path: '', branch: '' };
    this.clonedFrom = null;
    return this;
  }

  /** Others run what is published: it stays what an admin of the workspace has published. @throws Conflict PUBLISHED */
  assertNotPublished(field: string): void {
    if (!this.isPublished) return;
    throw new Conflict('PUBLISHED', `${field} of a published filter cannot be changed`, {
      errors: [{ pointer: `/${field}`, detail: 'cannot be changed while the filter is published' }],
      remedy: 'Take it out of the catalog with DELETE /api/filter/catalog/unpublish, then change it.',
    });
  }
}
