import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import { parseFlag } from '../core/schema/input-fields.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { Filter } from './filter.entity.js';
import { FilterCreated, type FilterEvent } from './filter.events.js';
import type { NewFilter } from './filter.inputs.js';
import { filterPolicy } from './filter.policy.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FilterModuleLoader, type ModuleFields, parseConfig, toModuleFields } from './filter-module.loader.js';
import { FiltersStore } from './filters.store.js';

/** A created or updated filter, with its module and configuration. */
export interface FilterWriteResult {
  filter: Filter;
  bytes: Uint8Array;
  resource: string;
  /** False when the request was only validated (`save=false`). */
  saved: boolean;
}

/** Creates filters from uploaded or fetched modules. */
@Injectable()
export class FilterCreationService {
  constructor(
    private readonly placement: WorkspacePlacementService,
    private readonly modules: FilterModuleLoader,
    private readonly contents: FilterContentsService,
    private readonly store: FiltersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async create(actor: Actor, input: NewFilter, files: FormFile[]): Promise<FilterWriteResult> {
    const workspace = await this.placement.resolve(actor, input, filterPolicy.create);
    const resource = parseConfig(input.config) ?? '';
    const { name, bytes, ...module } = await this.modules.loadForCreate(input, files);
    const visibility = input.visibility ?? 'workspace';
    const filter = newFilter(actor, workspace, { ...toModuleFields(module), name, visibility });
    const made = { filter, bytes, resource };
    if (!parseFlag(input.save, true)) return { ...made, saved: false };
    return this.insert(actor, made, new FilterCreated(actor, filter));
  }

  /** Stores a new filter: encrypted first, so that nothing is locked during that time. The event contains its origin. */
  async insert(
    actor: Actor,
    { filter, bytes, resource }: Omit<FilterWriteResult, 'saved'>,
    event: FilterEvent,
  ): Promise<FilterWriteResult> {
    filter.content = await this.contents.sealModule(filter, bytes);
    filter.resource = await this.contents.sealConfiguration(filter, resource);
    await this.unit.run(async () => {
      await this.placement.admit(actor, filter.workspaceId);
      await this.store.insert(filter);
      await this.events.publish(event);
    });
    return { filter, bytes, resource, saved: true };
  }
}

/** A new filter of the actor in a workspace; the caller stores it. */
export const newFilter = (
  { userId }: Actor,
  { id, organizationId }: Workspace,
  fields: ModuleFields & Pick<Filter, 'name' | 'visibility'> & Partial<Filter>,
): Filter =>
  Object.assign(new Filter(), {
    organizationId,
    workspaceId: id,
    userId,
    clonedFrom: null,
    catalogData: {},
    technologies: [],
    cloneCount: 0,
    downloadCount: 0,
    ...fields,
  });
