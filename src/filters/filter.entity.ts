import { Column, Entity, Index } from 'typeorm';
import { Conflict } from '../core/errors/app-error.js';
import type { DesignLocation } from '../designs/design.entity.js';
import { WorkspaceOwnedEntity } from '../workspaces/workspace-owned/workspace-owned.entity.js';
import type { ModuleFacts } from './wasm/module-facts.js';

/** The filter that this one was cloned from, as it was at that time. */
export interface FilterOrigin {
  id: string;
  name: string;
  digest: string;
}

/** A WebAssembly module for a proxy (proxy-wasm), with its configuration. It belongs to exactly one workspace. */
@Entity('filter')
@Index('filter_created', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('filter_workspace', ['workspaceId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('filter_search', { synchronize: false })
@Index('filter_shared', ['organizationId'], { where: "visibility = 'organization' AND deleted_at IS NULL" })
@Index('filter_catalog', ['createdAt', 'id'], { where: "visibility = 'public' AND deleted_at IS NULL" })
@Index('filter_technologies', ['technologies'], { type: 'gin', where: "visibility = 'public' AND deleted_at IS NULL" })
export class Filter extends WorkspaceOwnedEntity {
  /** The module, compressed and sealed. */
  @Column('bytea', { select: false })
  content!: Buffer;

  /** The configuration, sealed; null when there is none. */
  @Column('bytea', { nullable: true, select: false })
  resource!: Buffer | null;

  /** Size of the module in bytes. */
  @Column('integer')
  size!: number;

  /** Digest of the module: `sha256:` and hex digits. */
  @Column('text')
  digest!: string;

  @Column('jsonb', { default: {} })
  metadata!: ModuleFacts;

  /** Where the module came from, in the same form as for designs. */
  @Column('jsonb', { default: {} })
  location!: DesignLocation;

  @Column('jsonb', { nullable: true })
  clonedFrom!: FilterOrigin | null;

  @Column('jsonb', { default: {} })
  catalogData!: Record<string, unknown>;

  /** Technologies by which the catalog is filtered, in lowercase. */
  @Column('text', { array: true, default: [] })
  technologies!: string[];

  get isPublished(): boolean {
    return this.visibility === 'public';
  }

  /** Removes the source and the original filter, which callers from outside the workspace may not see. */
  hideOrigin(): this {
    this.location = { type: this.location.type, host: '', path: '', branch: '' };
    this.clonedFrom = null;
    return this;
  }

  /** Published content is in use by others, so it cannot be changed. @throws Conflict PUBLISHED */
  assertNotPublished(field: string): void {
    if (!this.isPublished) return;
    throw new Conflict('PUBLISHED', `${field} of a published filter cannot be changed`, {
      errors: [{ pointer: `/${field}`, detail: 'cannot be changed while the filter is published' }],
      remedy: 'Take it out of the catalog with DELETE /api/filter/catalog/unpublish, then change it.',
    });
  }
}
