import { Module } from '@nestjs/common';
import { deletionOf } from '../core/database/base.entity.js';
import { EventBus } from '../core/events/event-bus.js';
import { FormatsModule } from '../formats/formats.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkspaceQuotas } from '../workspaces/quotas/workspace-quotas.js';
import { WorkspaceDeleted, WorkspaceRestored } from '../workspaces/workspace.events.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { DesignChecks } from './design-checks.js';
import { DesignImports } from './design-imports.service.js';
import { DesignPresenter } from './design-presenter.js';
import { DesignSource } from './design-source.js';
import { DesignWriter } from './design-writer.service.js';
import { DesignsController } from './designs.controller.js';
import { DesignsResolver } from './designs.resolver.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';
import { DesignKnowledge } from './knowledge/design-knowledge.js';
import { DesignDownloadsController } from './exports/design-downloads.controller.js';
import { DesignExports } from './exports/design-exports.service.js';
import { DesignContents } from './versions/design-contents.js';
import { WorkspaceDesignsController } from './workspaces/workspace-designs.controller.js';

@Module({
  imports: [FormatsModule, OrganizationsModule, RegistryModule, WorkspacesModule],
  controllers: [DesignsController, DesignDownloadsController, WorkspaceDesignsController],
  providers: [
    DesignsService,
    DesignsStore,
    DesignWriter,
    DesignSource,
    DesignContents,
    DesignChecks,
    DesignKnowledge,
    DesignPresenter,
    DesignImports,
    DesignExports,
    DesignsResolver,
  ],
  exports: [DesignsService, DesignsStore, DesignContents, DesignChecks, DesignPresenter],
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
