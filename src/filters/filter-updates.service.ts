import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import type { Precondition } from '../core/rest/precondition.js';
import { assertVisibilityChange } from '../workspaces/workspace-owned/visibility-change.js';
import type { Filter } from './filter.entity.js';
import { FilterUpdated } from './filter.events.js';
import type { FilterChange } from './filter.inputs.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FilterModuleLoader, parseConfig, toModuleFields } from './filter-module.loader.js';
import { FiltersService } from './filters.service.js';
import { FiltersStore } from './filters.store.js';

const CATALOG_PATH = '/api/filter/catalog';

/** Updates filters, their modules and configurations. */
@Injectable()
export class FilterUpdatesService {
  constructor(
    private readonly filters: FiltersService,
    private readonly store: FiltersStore,
    private readonly contents: FilterContentsService,
    private readonly modules: FilterModuleLoader,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Updates the name, visibility, configuration and module, whichever the request has. */
  async update(actor: Actor, id: string, input: FilterChange, files: FormFile[], match: Precondition): Promise<Filter> {
    const current = await this.filters.getAuthorized(actor, id, 'update');
    const resource = parseConfig(input.config);
    const { name, module } = await this.modules.loadForUpdate(input, files);
    const content = module && (await this.contents.sealModule(current, module.bytes));
    const sealed = resource === undefined ? undefined : await this.contents.sealConfiguration(current, resource);
    return this.unit.run(async () => {
      const filter = await this.filters.getForChange(actor, id, input, match);
      const before = await this.contents.readConfiguration(filter);
      const reconfigured = resource !== undefined && resource !== before;
      const rebuilt = module !== null && module.digest !== filter.digest;
      if (name !== undefined && name !== filter.name) filter.assertNotPublished('name');
      assertVisibilityChange(filter, input.visibility, CATALOG_PATH);
      if (rebuilt) filter.assertNotPublished('filter_data');
      if (reconfigured) filter.assertNotPublished('config');
      const isChanged = await this.store.change(filter, {
        name,
        visibility: input.visibility,
        resource: reconfigured ? sealed : undefined,
        ...(rebuilt && content ? { ...toModuleFields(module), content } : {}),
      });
      if (isChanged)
        await this.events.publish(new FilterUpdated(actor, filter, { content: rebuilt, config: reconfigured }));
      return filter;
    });
  }
}
