import { Injectable } from '@nestjs/common';
import { Access } from '../core/authorization/access.service.js';
import { assertScope } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Page } from '../core/listing/page.js';
import { type Download, toFileName } from '../core/rest/download.js';
import { hasReadOnlyContent } from '../core/rest/read-only-fields.js';
import type { Precondition } from '../core/rest/precondition.js';
import type { RequestFields } from '../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { parseScope } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { WorkspaceOwnedGate } from '../workspaces/workspace-owned/workspace-owned.gate.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import type { Filter } from './filter.entity.js';
import { FilterDeleted, FilterRestored } from './filter.events.js';
import { WorkspaceOwnedQuery } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { FilterView } from './filter.view.js';
import { filterPolicy } from './filter.policy.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FiltersStore } from './filters.store.js';

/** Reads, deletes, restores and downloads filters. */
@Injectable()
export class FiltersService extends WorkspaceOwnedGate<Filter, typeof filterPolicy> implements PlacementAuthorizer {
  constructor(
    private readonly filters: FiltersStore,
    private readonly contents: FilterContentsService,
    placement: WorkspacePlacementService,
    access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {
    super(access, placement, {
      name: 'filter',
      policy: filterPolicy,
      store: filters,
      toView: async (filter, input) =>
        FilterView.fromEntity(filter, {
          resource: await contents.readConfiguration(filter),
          file: hasReadOnlyContent(input, 'filter_file') ? await contents.readModuleBase64(filter) : '',
        }),
    });
  }

  /** The filters of the caller's workspaces, and those shared with the caller's organizations. */
  async list(actor: Actor, query: WorkspaceOwnedQuery): Promise<Page<Filter>> {
    assertScope(actor, filterPolicy.read);
    await this.placement.assertVisible(actor, query);
    return this.filters.page(actor, parseScope(query), query);
  }

  /**
   * A filter that the actor may read; without its origin when the actor can read it only because it is published.
   * @throws NotFound when there is none
   */
  override async get(actor: Actor, id: string): Promise<Filter> {
    assertScope(actor, filterPolicy.read);
    const own = await this.filters.find(actor, id);
    return own ?? this.orNotFound(id, await this.filters.findPublished(id)).hideOrigin();
  }

  /** Cloning requires only the right to read, so published filters can be cloned by everyone. */
  override async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    if (operation === filterPolicy.restore) return super.authorize(actor, operation, id);
    const filter = await this.get(actor, id);
    if (operation !== filterPolicy.clone)
      await this.access.authorize(actor, operation, this.kind.getProtectedRecord(filter));
  }

  /** As `authorize`, for a filter that the request body names. */
  async authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void> {
    const id = fields.id('id');
    if (id) await this.authorize(actor, operation, id);
  }

  /** The module as a file; increments the download count. */
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
    return this.unit.run(async () => {
      const filter = await this.getForRestore(actor, id);
      if (!filter.deletedAt) return filter;
      await this.filters.update(filter, { deletedAt: null });
      await this.events.publish(new FilterRestored(actor, filter));
      return filter;
    });
  }
}
