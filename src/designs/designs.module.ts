import { Module } from '@nestjs/common';
import { FormatsModule } from '../formats/formats.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { KubernetesModule } from '../kubernetes/kubernetes.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { CatalogController } from './catalog/catalog.controller.js';
import { CatalogResolver } from './catalog/catalog.resolver.js';
import { CatalogService } from './catalog/catalog.service.js';
import { PublishedDesignsStore } from './published-designs.store.js';
import { DesignPoliciesRegistry } from './design-policies.registry.js';
import { DesignCheckRegistry } from './contents/design-checks.registry.js';
import { DesignClonesService } from './design-clones.service.js';
import { DesignFilesService } from './design-files.service.js';
import { DesignImportRights } from './design-import-rights.service.js';
import { DesignImportsService } from './design-imports.service.js';
import { DesignPresenter } from './design.presenter.js';
import { DesignRemovalService } from './design-removal.service.js';
import { BulkDesignsController } from './bulk-designs.controller.js';
import { DesignSourceReader } from './design-source.reader.js';
import { DesignChangesService } from './design-changes.service.js';
import { DesignCreationService } from './design-creation.service.js';
import { DesignInsertionService } from './design-insertion.service.js';
import { DesignQuotaService } from './design-quota.service.js';
import { DesignRevisionService } from './design-revision.service.js';
import { DesignTypesController } from './design-types.controller.js';
import { DesignValidationController } from './design-validation.controller.js';
import { DesignWritingController } from './design-writing.controller.js';
import { DesignsController } from './designs.controller.js';
import { DesignKindsListeners } from './design-kinds.listeners.js';
import { DesignsListeners } from './designs.listeners.js';
import { DesignsResolver } from './designs.resolver.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';
import { DesignEnrichmentService } from './enrichment/design-enrichment.service.js';
import { ClusterImportsService } from './cluster-imports.service.js';
import { SealedValuesService } from './sealed-values.service.js';
import { DesignDiagramsController } from './diagram/design-diagrams.controller.js';
import { DesignPictures } from './design-pictures.js';
import { DesignDiagramsService } from './diagram/design-diagrams.service.js';
import { DesignDownloadsController } from './exports/design-downloads.controller.js';
import { DesignExportsService } from './exports/design-exports.service.js';
import { DesignContentsStore } from './contents/design-contents.store.js';
import { VersionWriter } from './contents/version-writer.service.js';
import { DesignContentsLoader } from './contents/design-contents.loader.js';
import { SnapshotsService } from './versions/snapshots.service.js';
import { SnapshotsStore } from './versions/snapshots.store.js';
import { ChartRenderingsService } from './versions/chart-renderings.service.js';
import { VersionDiffsService } from './versions/version-diffs.service.js';
import { VersionsController } from './versions/versions.controller.js';
import { VersionsService } from './versions/versions.service.js';
import { VersionsStore } from './contents/versions.store.js';
import { DesignMovesService } from './workspaces/design-moves.service.js';
import { OrganizationDeletionListeners } from './workspaces/organization-deletion.listeners.js';
import { WorkspaceDesignsController } from './workspaces/workspace-designs.controller.js';

@Module({
  imports: [FormatsModule, KubernetesModule, OrganizationsModule, RegistryModule, WorkspacesModule],
  controllers: [
    DesignWritingController,
    DesignsController,
    DesignValidationController,
    BulkDesignsController,
    DesignDiagramsController,
    DesignDownloadsController,
    VersionsController,
    CatalogController,
    DesignTypesController,
    WorkspaceDesignsController,
  ],
  providers: [
    DesignsService,
    DesignsStore,
    DesignQuotaService,
    DesignInsertionService,
    DesignCreationService,
    DesignFilesService,
    DesignRevisionService,
    DesignChangesService,
    DesignImportRights,
    DesignMovesService,
    DesignRemovalService,
    DesignClonesService,
    PublishedDesignsStore,
    CatalogService,
    VersionWriter,
    VersionsStore,
    VersionDiffsService,
    VersionsService,
    ChartRenderingsService,
    SnapshotsStore,
    SnapshotsService,
    DesignSourceReader,
    DesignContentsStore,
    DesignContentsLoader,
    DesignCheckRegistry,
    DesignPoliciesRegistry,
    DesignEnrichmentService,
    DesignPresenter,
    DesignImportsService,
    ClusterImportsService,
    SealedValuesService,
    DesignExportsService,
    DesignDiagramsService,
    { provide: DesignPictures, useExisting: DesignDiagramsService },
    OrganizationDeletionListeners,
    DesignsResolver,
    CatalogResolver,
    DesignKindsListeners,
    DesignsListeners,
  ],
  exports: [
    SealedValuesService,
    DesignChangesService,
    DesignFilesService,
    DesignDiagramsService,
    DesignsService,
    DesignRemovalService,
    DesignsStore,
    DesignContentsStore,
    DesignCheckRegistry,
    DesignPoliciesRegistry,
    DesignPresenter,
    VersionsService,
    ChartRenderingsService,
  ],
})
export class DesignsModule {}
