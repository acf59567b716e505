import { Module } from '@nestjs/common';
import { deletionOf } from '../core/database/base.entity.js';
import { EventBus } from '../core/events/event-bus.js';
import { FormatsModule } from '../formats/formats.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkspaceQuotas } from '../workspaces/quotas/workspace-quotas.js';
import { WorkspaceDeleted, WorkspaceRestored } from '../workspaces/workspace.events.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { CatalogController } from './catalog/catalog.controller.js';
import { CatalogResolver } from './catalog/catalog.resolver.js';
import { CatalogService } from './catalog/catalog.service.js';
import { CatalogStore } from './catalog/catalog.store.js';
import { DesignChecks } from './design-checks.js';
import { DesignClones } from './design-clones.service.js';
import { DesignImports } from './design-imports.service.js';
import { DesignPresenter } from './design-presenter.js';
import { DesignRemoval } from './design-removal.service.js';
import { DesignSetsController } from './design-sets.controller.js';
import { DesignSource } from './design-source.js';
import { DesignWriter } from './design-writer.service.js';
import { DesignsController } from './designs.controller.js';
import { DesignsResolver } from './designs.resolver.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';
import { DesignKnowledge } from './knowledge/design-knowledge.js';
import { DesignDiagramsController } from './diagram/design-diagrams.controller.js';
import { DesignDiagrams } from './diagram/design-diagrams.service.js';
import { DesignDownloadsController } from './exports/design-downloads.controller.js';
import { DesignExports } from './exports/design-exports.service.js';
import { DesignContents } from './versions/design-contents.js';
import { NewVersions } from './versions/new-versions.js';
import { ShownContents } from './versions/shown-contents.js';
import { SnapshotsService } from './versions/snapshots.service.js';
import { SnapshotsStore } from './versions/snapshots.store.js';
import { ValueVariants } from './versions/value-variants.service.js';
import { VersionsController } from './versions/versions.controller.js';
import { VersionsService } from './versions/versions.service.js';
import { VersionsStore } from './versions/versions.store.js';
import { WorkspaceDesignsController } from './workspaces/workspace-designs.controller.js';

@Module({
  imports: [FormatsModule, OrganizationsModule, RegistryModule, WorkspacesModule],
  controllers: [
    CatalogController,
    DesignsController,
    DesignSetsController,
    DesignDiagramsController,
    DesignDownloadsController,
    VersionsController,
    WorkspaceDesignsController,
  ],
  providers: [
    DesignsService,
    DesignsStore,
    DesignWriter,
    DesignRemoval,
    DesignClones,
    CatalogStore,
    CatalogService,
    NewVersions,
    VersionsStore,
    VersionsService,
    ValueVariants,
    SnapshotsStore,
    SnapshotsService,
    DesignSource,
    DesignContents,
    ShownContents,
    DesignChecks,
    DesignKnowledge,
    DesignPresenter,
    DesignImports,
    DesignExports,
    DesignDiagrams,
    DesignsResolver,
    CatalogResolver,
  ],
  exports: [
    DesignsService,
    DesignRemoval,
    DesignsStore,
    DesignContents,
    DesignChecks,
    DesignPresenter,
    VersionsService,
    ValueVariants,
  ],
})
export class DesignsModule {
  constructor(designs: DesignsStore, quotas: WorkspaceQuotas, events: EventBus) {
    quotas.countBy('max_designs', (id) => designs.countIn(id));
    events.within(WorkspaceDeleted, ({ workspace }) => designs.softDeleteOf(workspace.id, deletionOf(workspace)));
    events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (deletedAt) await designs.restoreOf(workspace.id, deletedAt);
    });
  }
}
