import { Injectable } from '@nestjs/common';
import { assertScope } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import { definedFields, hasReadOnlyField, assertReadOnlyUnchanged } from '../core/rest/read-only-fields.js';
import { Precondition } from '../core/rest/precondition.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import { parseFlag } from '../core/schema/input-fields.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { type CloneInput, copyName } from '../workspaces/workspace-owned/clone.input.js';
import { assertVisibilityChange } from '../workspaces/workspace-owned/visibility-change.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { Filter } from './filter.entity.js';
import { FilterCloned, FilterCreated, FilterUpdated } from './filter.events.js';
import type { FilterChange, NewFilter } from './filter.inputs.js';
import { filterPolicy } from './filter.policy.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FilterPresenter } from './filter.presenter.js';
import { type FilterModule, FilterModuleLoader, parseConfig } from './filter-module.loader.js';
import { FiltersService } from './filters.service.js';
import { FiltersStore } from './filters.store.js';

/** A filter that was written, with its module and its configuration. */
export interface FilterWriteResult {
  filter: Filter;
  bytes: Uint8Array;
  resource: string;
  /** False when the caller only wanted to see what it would be. */
  saved: boolean;
}

/** Writes the content of filters. */
@Injectable()
export class FilterWriterService {
  constructor(
    private readonly filters: FiltersService,
    private readonly store: FiltersStore,
    private readonly contents: FilterContentsService,
    private readonly source: FilterModuleLoader,
    private readonly presenter: FilterPresenter,
    private readonly workspaces: WorkspacesService,
    private readonly placement: WorkspacePlacementService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async create(actor: Actor, input: NewFilter, files: FormFile[]): Promise<FilterWriteResult> {
    const workspace = await this.placement.resolve(actor, input, filterPolicy.create);
    const resource = parseConfig(input.config) ?? '';
    const { name, bytes, ...module } = await this.source.loadForCreate(input, files);
    const filter = newFilter(actor, workspace, {
      ...toModuleFields(module),
      name,
      visibility: input.visibility ?? 'workspace',
    });
    if (!parseFlag(input.save, true)) return { filter, bytes, resource, saved: false };
    await this.sealInto(filter, bytes, resource);
    await this.unit.run(async () => {
      await this.workspaces.lockActive(actor, workspace.id);
      await this.store.insert(filter);
      await this.events.publish(new FilterCreated(actor, filter));
    });
    return { filter, bytes, resource, saved: true };
  }

  /** Changes name, visibility, configuration and module, as far as they are sent. */
  async update(actor: Actor, id: string, input: FilterChange, files: FormFile[], match: Precondition): Promise<Filter> {
    const current = await this.filters.getAuthorized(actor, id, 'update');
    const resource = parseConfig(input.config);
    const { name, module } = await this.source.loadForUpdate(input, files);
    const content = module && (await this.contents.sealModule(current, module.bytes));
    const sealed = resource === undefined ? undefined : await this.contents.sealConfiguration(current, resource);
    return this.unit.run(async () => {
      const filter = await this.filters.getForUpdate(actor, id, 'update', match);
      const shown = hasReadOnlyField(input, 'filter_file')
        ? this.presenter.toView(filter)
        : this.presenter.toViewWithoutModule(filter);
      assertReadOnlyUnchanged(input, await shown);
      const before = await this.contents.readConfiguration(filter);
      const reconfigured = resource !== undefined && resource !== before;
      const rebuilt = module !== null && module.digest !== filter.digest;
      if (name !== undefined && name !== filter.name) filter.assertNotPublished('name');
      assertVisibilityChange(filter, input.visibility, CATALOG_PATH);
      if (rebuilt) filter.assertNotPublished('filter_data');
      if (reconfigured) filter.assertNotPublished('config');
      await this.store.update(filter, {
        ...definedFields({ name, visibility: input.visibility, resource: reconfigured ? sealed : undefined }),
        ...(rebuilt && content ? { ...toModuleFields(module), content } : {}),
      });
      await this.events.publish(new FilterUpdated(actor, filter, { content: rebuilt, config: reconfigured }));
      return filter;
    });
  }

  /** Whoever reads a filter may have a copy of their own, in a workspace where they make filters. */
  async clone(actor: Actor, id: string, input: CloneInput): Promise<FilterWriteResult> {
    assertScope(actor, filterPolicy.clone);
    const source = await this.filters.get(actor, id);
    const workspace = await this.placement.resolve(actor, input, filterPolicy.create);
    const [bytes, resource] = [await this.contents.readModule(source), await this.contents.readConfiguration(source)];
    const { name, size, digest, metadata } = source;
    const copy = newFilter(actor, workspace, {
      ...{ size, digest, metadata },
      name: input.name ?? copyName(name),
      visibility: 'workspace',
      location: { type: 'clone', host: '', path: `/api/filter/${id}`, branch: '' },
      clonedFrom: { id, name, digest },
    });
    await this.sealInto(copy, bytes, resource);
    await this.unit.run(async () => {
      await this.workspaces.lockActive(actor, workspace.id);
      await this.store.insert(copy);
      await this.unit.runAsSystem('counting a copy', () => this.store.increment(id, 'clone_count'));
      await this.events.publish(new FilterCloned(actor, copy, { source: id }));
    });
    return { filter: copy, bytes, resource, saved: true };
  }

  private async sealInto(filter: Filter, bytes: Uint8Array, resource: string): Promise<void> {
    filter.content = await this.contents.sealModule(filter, bytes);
    filter.resource = await this.contents.sealConfiguration(filter, resource);
  }
}

const CATALOG_PATH = '/api/filter/catalog';

type ModuleFields = Pick<Filter, 'size' | 'digest' | 'metadata' | 'location'>;

const toModuleFields = ({ size, digest, facts, location }: Omit<FilterModule, 'bytes'>): ModuleFields => ({
  size,
  digest,
  metadata: facts,
  location,
});

const newFilter = (
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
