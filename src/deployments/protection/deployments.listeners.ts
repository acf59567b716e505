import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionDeleted } from '../../connections/connection.events.js';
import { EventBus } from '../../core/events/event-bus.js';
import { DesignDeleted, DesignMoved, DesignsDeleted } from '../../designs/design.events.js';
import { ConnectionRemoved, EnvironmentDeleted } from '../../environments/environment.events.js';
import { EnvironmentUnassigned, WorkspaceArchived, WorkspaceDeleted } from '../../workspaces/workspace.events.js';
import { CancellationsService } from '../requests/cancellations.service.js';
import { DeployedDesignsService } from './deployed-designs.service.js';
import { InUseProtectionService } from './in-use-protection.service.js';

/**
 * Vetoes the removal of anything that a deployment uses. The publisher has locked the row that it removes, and a new deployment
 * locks the same rows, so that the second of the two is refused.
 */
@Injectable()
export class DeploymentsListeners implements OnModuleInit {
  constructor(
    private readonly protection: InUseProtectionService,
    private readonly moves: DeployedDesignsService,
    private readonly cancellations: CancellationsService,
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
  }
}
