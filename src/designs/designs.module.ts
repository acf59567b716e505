import { Module } from '@nestjs/common';
import { getDeletionTime } from '../core/database/base.entity.js';
import { EventBus } from '../core/events/event-bus.js';
import { FormatsModule } from '../formats/formats.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkspaceQuotasService } from '../workspaces/quotas/workspace-quotas.service.js';
import { WorkspaceDeleted, WorkspaceRestored } from '../workspaces/workspace.events.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { CatalogController } from './catalog/catalog.controller.js';
import { CatalogResolver } from './catalog/catalog.resolver.js';
import { CatalogService } from './catalog/catalog.service.js';
import { CatalogStore } from './catalog/catalog.store.js';
import { DesignCheckRegistry } from './design-checks.registry.js';
import { DesignClonesService } from './design-clones.service.js';
import { DesignImportsService } from './design-imports.service.js';
import { DesignPresenter } from './design.presenter.js';
import { DesignRemovalService } from './design-removal.service.js';
import { BulkDesignsController } from './bulk-designs.controller.js';
import { DesignSourceReader } from './design-source.reader.js';
import { DesignWriter } from './design-writer.service.js';
import { DesignsController } from './designs.controller.js';
import { DesignsResolver } from './designs.resolver.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';
import { DesignEnrichmentService } from './enrichment/design-enrichment.service.js';
import { DesignDiagramsController } from './diagram/design-diagrams.controller.js';
import { DesignDiagramsService } from './diagram/design-diagrams.service.js';
import { DesignDownloadsController } from './exports/design-downloads.controller.js';
import { DesignExportsService } from './exports/design-exports.service.js';
import { DesignContentsStore } from './versions/design-contents.store.js';
import { VersionWriter } from './versions/version-writer.service.js';
import { DesignContentsLoader } from './versions/design-contents.loader.js';
import { SnapshotsService } from './versions/snapshots.service.js';
import { SnapshotsStore } from './versions/snapshots.store.js';
import { ValueVariantsService } from './versions/value-variants.service.js';
import { VersionsController } from './versions/versions.controller.js';
import { VersionsService } from './versions/versions.service.js';
import { VersionsStore } from './versions/versions.store.js';
import { WorkspaceDesignsController } from './workspaces/workspace-designs.controller.js';

@Module({
  imports: [FormatsModule, OrganizationsModule, RegistryModule, WorkspacesModule],
  controllers: [
    CatalogController,
    DesignsController,
    BulkDesignsController,
    DesignDiagramsController,
    DesignDownloadsController,
    VersionsController,
    WorkspaceDesignsController,
  ],
  providers: [
    DesignsService,
    DesignsStore,
    DesignWriter,
    DesignRemovalService,
    DesignClonesService,
    CatalogStore,
    CatalogService,
    VersionWriter,
    VersionsStore,
    VersionsService,
    ValueVariantsService,
    SnapshotsStore,
    SnapshotsService,
    DesignSourceReader,
    DesignContentsStore,
    DesignContentsLoader,
    DesignCheckRegistry,
    DesignEnrichmentService,
    DesignPresenter,
    DesignImportsService,
    DesignExportsService,
    DesignDiagramsService,
    DesignsResolver,
    CatalogResolver,
  ],
  exports: [
    DesignsService,
    DesignRemovalService,
    DesignsStore,
    DesignContentsStore,
    DesignCheckRegistry,
    DesignPresenter,
    VersionsService,
    ValueVariantsService,
  ],
})
export class DesignsModule {
  constructor(designs: DesignsStore, quotas: WorkspaceQuotasService, events: EventBus) {
    quotas.registerCounter('max_designs', (id) => designs.countByWorkspace(id));
    events.within(WorkspaceDeleted, ({ workspace }) =>
      designs.softDeleteByWorkspace(workspace.id, getDeletionTime(workspace)),
    );
    events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (deletedAt) await designs.restoreByWorkspace(workspace.id, deletedAt);
    });
  }
}
