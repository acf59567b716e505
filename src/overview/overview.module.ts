import { Module } from '@nestjs/common';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AttentionController } from './attention/attention.controller.js';
import { AttentionResolver } from './attention/attention.resolver.js';
import { AttentionService } from './attention/attention.service.js';
import { AttentionStore } from './attention/attention.store.js';
import { FavouritesController } from './favourites/favourites.controller.js';
import { FavouritesService } from './favourites/favourites.service.js';
import { FavouritesStore } from './favourites/favourites.store.js';
import { SearchController } from './search/search.controller.js';
import { SearchService } from './search/search.service.js';
import { SeenRecordsStore } from './seen-records.store.js';

/** What a user sees over all workspaces: search, favourites, and what needs attention. */
@Module({
  imports: [OrganizationsModule, EnvironmentsModule],
  controllers: [SearchController, AttentionController, FavouritesController],
  providers: [
    SeenRecordsStore,
    SearchService,
    AttentionStore,
    AttentionService,
    AttentionResolver,
    FavouritesStore,
    FavouritesService,
  ],
})
export class OverviewModule {}
