import { Module } from '@nestjs/common';
import { getDeletionTime } from '../core/database/base.entity.js';
import { EventBus } from '../core/events/event-bus.js';
import { DesignsModule } from '../designs/designs.module.js';
import { FormatsModule } from '../formats/formats.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { WorkspaceDeleted, WorkspaceRestored } from '../workspaces/workspace.events.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { FilterCatalogController } from './catalog/filter-catalog.controller.js';
import { FilterCatalogResolver } from './catalog/filter-catalog.resolver.js';
import { FilterCatalogService } from './catalog/filter-catalog.service.js';
import { ConfigurationFeedService } from './configuration/configuration-feed.service.js';
import { ConfigurationResolver } from './configuration/configuration.resolver.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FilterPresenter } from './filter.presenter.js';
import { FilterModuleLoader } from './filter-module.loader.js';
import { FilterWriterService } from './filter-writer.service.js';
import { FiltersController } from './filters.controller.js';
import { FiltersResolver } from './filters.resolver.js';
import { FiltersService } from './filters.service.js';
import { FiltersStore } from './filters.store.js';

@Module({
  imports: [FormatsModule, OrganizationsModule, WorkspacesModule, DesignsModule],
  // The catalog first, for the router asks in this order: /api/filter/catalog is no filter called catalog.
  controllers: [FilterCatalogController, FiltersController],
  providers: [
    FiltersService,
    FiltersStore,
    FilterWriterService,
    FilterModuleLoader,
    FilterContentsService,
    FilterPresenter,
    FiltersResolver,
    FilterCatalogService,
    FilterCatalogResolver,
    ConfigurationFeedService,
    ConfigurationResolver,
  ],
})
export class FiltersModule {
  constructor(filters: FiltersStore, events: EventBus) {
    events.within(WorkspaceDeleted, ({ workspace }) =>
      filters.softDeleteByWorkspace(workspace.id, getDeletionTime(workspace)),
    );
    events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (deletedAt) await filters.restoreByWorkspace(workspace.id, deletedAt);
    });
  }
}
