import { Injectable } from '@nestjs/common';
import { requireScope } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import { given, isEchoed, mustEcho } from '../core/rest/change-input.js';
import { Precondition } from '../core/rest/precondition.js';
import type { UploadedFile } from '../core/rest/upload.js';
import { isSet } from '../core/schema/input-fields.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { type CloneInput, copyName } from '../workspaces/records/clone.input.js';
import { mustBeSettable } from '../workspaces/records/settable-visibility.js';
import { WorkspacePlacement } from '../workspaces/records/workspace-placement.js';
import { Filter } from './filter.entity.js';
import { FilterCloned, FilterCreated, FilterUpdated } from './filter.events.js';
import type { FilterChange, NewFilter } from './filter.inputs.js';
import { filterPolicy } from './filter.policy.js';
import { FilterContents } from './filter-contents.js';
import { FilterPresenter } from './filter-presenter.js';
import { type FilterModule, FilterSource, readConfig } from './filter-source.js';
import { FiltersService } from './filters.service.js';
import { FiltersStore } from './filters.store.js';

/** A filter that was written, with its module and its configuration. */
export interface WrittenFilter {
  filter: Filter;
  bytes: Uint8Array;
  resource: string;
  /** False when the caller only wanted to see what it would be. */
  saved: boolean;
}

/** Writes the content of filters. */
@Injectable()
export class FilterWriter {
  constructor(
    private readonly filters: FiltersService,
    private readonly store: FiltersStore,
    private readonly contents: FilterContents,
    private readonly source: FilterSource,
    private readonly presenter: FilterPresenter,
    private readonly workspaces: WorkspacesService,
    private readonly placement: WorkspacePlacement,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async create(actor: Actor, input: NewFilter, files: UploadedFile[]): Promise<WrittenFilter> {
    const workspace = await this.placement.of(actor, input, filterPolicy.create);
    const resource = readConfig(input.config) ?? '';
    const { name, bytes, ...module } = await this.source.ofNew(input, files);
    const filter = newFilter(actor, workspace, {
      ...fieldsOf(module),
      name,
      visibility: input.visibility ?? 'workspace',
    });
    if (!isSet(input.save, true)) return { filter, bytes, resource, saved: false };
    await this.sealInto(filter, bytes, resource);
    await this.unit.run(async () => {
      await this.workspaces.mustBeActive(actor, workspace.id);
      await this.store.insert(filter);
      await this.events.publish(new FilterCreated(actor, filter));
    });
    return { filter, bytes, resource, saved: true };
  }

  /** Changes name, visibility, configuration and module, as far as they are sent. */
  async update(
    actor: Actor,
    id: string,
    input: FilterChange,
    files: UploadedFile[],
    match: Precondition,
  ): Promise<Filter> {
    const current = await this.filters.allowed(actor, id, 'update');
    const resource = readConfig(input.config);
    const { name, module } = await this.source.ofChange(input, files);
    const content = module && (await this.contents.seal(current, module.bytes));
    const sealed = resource === undefined ? undefined : await this.contents.sealResource(current, resource);
    return this.unit.run(async () => {
      const filter = await this.filters.open(actor, id, 'update', match);
      const shown = isEchoed(input, 'filter_file') ? this.presenter.whole(filter) : this.presenter.plain(filter);
      mustEcho(input, await shown);
      const before = await this.contents.readResource(filter);
      const reconfigured = resource !== undefined && resource !== before;
      const rebuilt = module !== null && module.digest !== filter.digest;
      if (name !== undefined && name !== filter.name) filter.mustNotBePublished('name');
      mustBeSettable(filter, input.visibility, CATALOG);
      if (rebuilt) filter.mustNotBePublished('filter_data');
      if (reconfigured) filter.mustNotBePublished('config');
      await this.store.update(filter, {
        ...given({ name, visibility: input.visibility, resource: reconfigured ? sealed : undefined }),
        ...(rebuilt && content ? { ...fieldsOf(module), content } : {}),
      });
      await this.events.publish(new FilterUpdated(actor, filter, { content: rebuilt, config: reconfigured }));
      return filter;
    });
  }

  /** Whoever reads a filter may have a copy of their own, in a workspace where they make filters. */
  async clone(actor: Actor, id: string, input: CloneInput): Promise<WrittenFilter> {
    requireScope(actor, filterPolicy.clone);
    const source = await this.filters.get(actor, id);
    const workspace = await this.placement.of(actor, input, filterPolicy.create);
    const [bytes, resource] = [await this.contents.read(source), await this.contents.readResource(source)];
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
      await this.workspaces.mustBeActive(actor, workspace.id);
      await this.store.insert(copy);
      await this.unit.asSystem('counting a copy', () => this.store.count(id, 'clone_count'));
      await this.events.publish(new FilterCloned(actor, copy, { source: id }));
    });
    return { filter: copy, bytes, resource, saved: true };
  }

  private async sealInto(filter: Filter, bytes: Uint8Array, resource: string): Promise<void> {
    filter.content = await this.contents.seal(filter, bytes);
    filter.resource = await this.contents.sealResource(filter, resource);
  }
}

const CATALOG = '/api/filter/catalog';

type OfModule = Pick<Filter, 'size' | 'digest' | 'metadata' | 'location'>;

const fieldsOf = ({ size, digest, facts, location }: Omit<FilterModule, 'bytes'>): OfModule => ({
  size,
  digest,
  metadata: facts,
  location,
});

const newFilter = (
  { userId }: Actor,
  { id, organizationId }: Workspace,
  fields: OfModule & Pick<Filter, 'name' | 'visibility'> & Partial<Filter>,
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
