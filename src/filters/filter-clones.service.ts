import { Injectable } from '@nestjs/common';
import { assertScope } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import { type CloneInput, copyName } from '../workspaces/workspace-owned/clone.input.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { FilterCloned } from './filter.events.js';
import { filterPolicy } from './filter.policy.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FilterCreationService, type FilterWriteResult, newFilter } from './filter-creation.service.js';
import { FiltersService } from './filters.service.js';

/** Clones filters. */
@Injectable()
export class FilterClonesService {
  constructor(
    private readonly filters: FiltersService,
    private readonly contents: FilterContentsService,
    private readonly placement: WorkspacePlacementService,
    private readonly creation: FilterCreationService,
  ) {}

  /** Copies a filter that the actor may read into a workspace in which the actor may create filters. */
  async clone(actor: Actor, id: string, input: CloneInput): Promise<FilterWriteResult> {
    assertScope(actor, filterPolicy.clone);
    const source = await this.filters.get(actor, id);
    const workspace = await this.placement.resolve(actor, input, filterPolicy.create);
    const [bytes, resource] = [await this.contents.readModule(source), await this.contents.readConfiguration(source)];
    const { name, size, digest, metadata } = source;
    const filter = newFilter(actor, workspace, {
      size,
      digest,
      metadata,
      name: input.name ?? copyName(name),
      visibility: 'workspace',
      location: { type: 'clone', host: '', path: `/api/filter/${id}`, branch: '' },
      clonedFrom: { id, name, digest },
    });
    return this.creation.insert(actor, { filter, bytes, resource }, new FilterCloned(actor, filter, { source: id }));
  }
}
