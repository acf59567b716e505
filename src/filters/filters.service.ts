import { Injectable } from '@nestjs/common';
import { Access, assertScope } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { NotFound } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Page } from '../core/listing/page.js';
import { type Download, toFileName } from '../core/rest/download.js';
import { Precondition } from '../core/rest/precondition.js';
import type { RequestFields } from '../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer, RecordAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { parseScope } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Filter } from './filter.entity.js';
import { FilterDeleted, FilterRestored } from './filter.events.js';
import { WorkspaceOwnedQuery } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { filterPolicy } from './filter.policy.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FiltersStore } from './filters.store.js';

type WorkspaceRef = Pick<Filter, 'workspaceId' | 'organizationId'>;

/** Filters as records: who sees them, how they go and come back. Their content is written by FilterWriter. */
@Injectable()
export class FiltersService implements RecordAuthorizer, PlacementAuthorizer {
  constructor(
    private readonly filters: FiltersStore,
    private readonly contents: FilterContentsService,
    private readonly workspaces: WorkspacesService,
    private readonly organizations: OrganizationsService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** The filters of the caller's workspaces, and those shared with the caller's organizations. */
  async list(actor: Actor, query: WorkspaceOwnedQuery): Promise<Page<Filter>> {
    assertScope(actor, filterPolicy.read);
    if (query.organization_id) await this.organizations.get(actor, query.organization_id);
    if (query.workspace_id) await this.workspaces.get(actor, query.workspace_id);
    return this.filters.page(actor, parseScope(query), query);
  }

  /**
   * A filter that the actor may see; one that they only see in the catalog as strangers see it.
   * @throws NotFound when there is none
   */
  async get(actor: Actor, id: string): Promise<Filter> {
    assertScope(actor, filterPolicy.read);
    const own = await this.filters.find(actor, id);
    return own ?? orNotFound(id, await this.filters.findPublished(id)).hideOrigin();
  }

  /** Who reads a filter may clone it, those of the catalog included. */
  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const withDeleted = operation === filterPolicy.restore;
    const filter = withDeleted
      ? orNotFound(id, await this.filters.findWithDeleted(actor, id))
      : await this.get(actor, id);
    if (operation !== filterPolicy.clone) await this.requireOperation(actor, operation, filter);
  }

  /** The same for the filter that a body names. */
  async authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    const id = fields.id('id');
    if (id) await this.authorize(actor, operation, id);
  }

  /** The module as a file, which is counted. */
  async download(actor: Actor, id: string): Promise<Download> {
    const filter = await this.get(actor, id);
    const content = await this.contents.readModule(filter);
    await this.unit.runAsSystem('counting a download', () => this.filters.increment(id, 'download_count'));
    const name = toFileName(filter.name.replace(/\.wasm$/i, ''), 'filter');
    return { name: `${name}.wasm`, type: 'application/wasm', content };
  }

  async delete(actor: Actor, id: string, match: Precondition): Promise<Filter> {
    return this.unit.run(async () => {
      const filter = await this.getForUpdate(actor, id, 'delete', match);
      await this.filters.softDelete(filter);
      await this.events.publish(new FilterDeleted(actor, filter));
      return filter;
    });
  }

  /** Restoring one that is not deleted changes nothing. */
  async restore(actor: Actor, id: string): Promise<Filter> {
    const current = orNotFound(id, await this.filters.findWithDeleted(actor, id));
    await this.requireAccess(actor, 'restore', current);
    if (!current.deletedAt) return current;
    return this.unit.run(async () => {
      await this.workspaces.lockActive(actor, current.workspaceId);
      const filter = orNotFound(id, await this.filters.findWithDeleted(actor, id, true));
      if (!filter.deletedAt) return filter;
      await this.filters.update(filter, { deletedAt: null });
      await this.events.publish(new FilterRestored(actor, filter));
      return filter;
    });
  }

  /**
   * Finds, requires, compares, and refuses what lies in an archived workspace: how every change of one filter begins. The
   * workspace is held before the filter, as by those who begin with the workspace.
   */
  async getForUpdate(
    actor: Actor,
    id: string,
    operation: keyof typeof filterPolicy,
    match = Precondition.none,
  ): Promise<Filter> {
    const { workspaceId } = await this.getAuthorized(actor, id, operation);
    await this.workspaces.lockActive(actor, workspaceId);
    const filter = orNotFound(id, await this.filters.lock(actor, id));
    match.assertMatches(filter);
    return filter;
  }

  /** A filter that the actor sees, and may do this with. */
  async getAuthorized(actor: Actor, id: string, operation: keyof typeof filterPolicy): Promise<Filter> {
    const filter = await this.get(actor, id);
    await this.requireAccess(actor, operation, filter);
    return filter;
  }

  requireAccess(actor: Actor, operation: keyof typeof filterPolicy, at: WorkspaceRef): Promise<void> {
    return this.requireOperation(actor, filterPolicy[operation], at);
  }

  private requireOperation(
    actor: Actor,
    operation: Operation,
    { workspaceId: id, organizationId }: WorkspaceRef,
  ): Promise<void> {
    return this.access.authorize(actor, operation, { type: 'workspace', id, organizationId });
  }
}

function orNotFound(id: string, filter: Filter | null): Filter {
  if (!filter) throw new NotFound('filter', id);
  return filter;
}
