import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionDeleted } from '../connections/connection.events.js';
import type { Actor } from '../core/access/actor.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Design } from '../designs/design.entity.js';
import { DesignDeleted, DesignMoved, DesignsDeleted } from '../designs/design.events.js';
import { DesignRemovalService } from '../designs/design-removal.service.js';
import { ConnectionRemoved, EnvironmentDeleted } from '../environments/environment.events.js';
import { EnvironmentUnassigned, WorkspaceArchived, WorkspaceDeleted } from '../workspaces/workspace.events.js';
import { CancellationsService } from './cancellations.service.js';
import { DeployedDesignsStore } from './deployed-designs.store.js';
import { DeployedDesignsService } from './deployed-designs.service.js';
import { DeploymentPresenter } from './deployment.presenter.js';
import { DeploymentsService } from './deployments.service.js';
import { InUseProtectionService } from './in-use-protection.service.js';

/**
 * Keeps what deployments use from being taken away. The publisher holds the row that it takes away, and a new deployment locks
 * the same rows, so that of the two one comes first and the other is refused.
 */
@Injectable()
export class DeploymentsListeners implements OnModuleInit {
  constructor(
    private readonly protection: InUseProtectionService,
    private readonly moves: DeployedDesignsService,
    private readonly cancellations: CancellationsService,
    private readonly deployments: DeploymentsService,
    private readonly deployed: DeployedDesignsStore,
    private readonly answers: DeploymentPresenter,
    private readonly removal: DesignRemovalService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    const { protection, events } = this;
    events.within(ConnectionDeleted, ({ connection }) => protection.requireUnused({ connectionId: connection.id }));
    events.within(ConnectionRemoved, ({ environment, connectionId }) =>
      protection.requireUnused({ environmentId: environment.id, connectionId }),
    );
    events.within(EnvironmentDeleted, ({ environment }) => protection.requireUnused({ environmentId: environment.id }));
    events.within(EnvironmentUnassigned, ({ workspace, environmentId }) =>
      protection.requireUnused({ workspaceId: workspace.id, environmentId }),
    );
    events.within(DesignDeleted, ({ design }) => protection.requireUnused({ designId: design.id }));
    events.within(DesignsDeleted, async ({ designs }) => {
      for (const { id } of designs) await protection.requireUnused({ designId: id });
    });
    events.within(DesignMoved, ({ actor, design }) => this.moves.moveWithDesign(actor, design));
    events.within(WorkspaceDeleted, ({ workspace }) => protection.requireUnused({ workspaceId: workspace.id }));
    events.within(WorkspaceArchived, ({ actor, workspace }) =>
      this.cancellations.cancelByWorkspace(actor, workspace.id),
    );
    this.removal.registerBeforeDeletion((actor, design, undeploy) => this.prepareDeletion(actor, design, undeploy));
  }

  private async prepareDeletion(actor: Actor, { id }: Design, undeploy: boolean): Promise<void> {
    if (!undeploy) return this.protection.requireUnused({ designId: id });
    await this.protection.requireFinished({ designId: id });
    const places = await this.deployed.findByUse({ designId: id });
    for (const environment_id of new Set(places.map(({ environmentId }) => environmentId)))
      await this.answers.waitForSuccess(actor, await this.deployments.undeploy(actor, { id, environment_id }));
  }
}
