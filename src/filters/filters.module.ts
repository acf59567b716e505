import { Module } from '@nestjs/common';
import { DesignsModule } from '../designs/designs.module.js';
import { FormatsModule } from '../formats/formats.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { FilterCatalogController } from './catalog/filter-catalog.controller.js';
import { FilterCatalogResolver } from './catalog/filter-catalog.resolver.js';
import { FilterCatalogService } from './catalog/filter-catalog.service.js';
import { ConfigurationFeedService } from './configuration/configuration-feed.service.js';
import { ConfigurationResolver } from './configuration/configuration.resolver.js';
import { FilterContentsService } from './filter-contents.service.js';
import { FilterPresenter } from './filter.presenter.js';
import { FilterModuleLoader } from './filter-module.loader.js';
import { FilterClonesService } from './filter-clones.service.js';
import { FilterCreationService } from './filter-creation.service.js';
import { FilterUpdatesService } from './filter-updates.service.js';
import { FiltersController } from './filters.controller.js';
import { FiltersListeners } from './filters.listeners.js';
import { FiltersResolver } from './filters.resolver.js';
import { FiltersService } from './filters.service.js';
import { FiltersStore } from './filters.store.js';

@Module({
  imports: [FormatsModule, OrganizationsModule, WorkspacesModule, DesignsModule],
  controllers: [FilterCatalogController, FiltersController],
  providers: [
    FiltersService,
    FiltersStore,
    FilterCreationService,
    FilterClonesService,
    FilterUpdatesService,
    FilterModuleLoader,
    FilterContentsService,
    FilterPresenter,
    FiltersResolver,
    FilterCatalogService,
    FilterCatalogResolver,
    ConfigurationFeedService,
    ConfigurationResolver,
    FiltersListeners,
  ],
})
export class FiltersModule {}
