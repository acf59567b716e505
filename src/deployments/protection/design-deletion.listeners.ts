import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignRemovalService } from '../../designs/design-removal.service.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import { DeploymentPresenter } from '../requests/deployment.presenter.js';
import { UndeploymentsService } from '../requests/undeployments.service.js';
import { InUseProtectionService } from './in-use-protection.service.js';

/** Undeploys a design before its deletion on request; otherwise refuses to delete a deployed design. */
@Injectable()
export class DesignDeletionListeners implements OnModuleInit {
  constructor(
    private readonly removal: DesignRemovalService,
    private readonly protection: InUseProtectionService,
    private readonly deployed: DeployedDesignsStore,
    private readonly undeployments: UndeploymentsService,
    private readonly answers: DeploymentPresenter,
  ) {}

  onModuleInit(): void {
    this.removal.registerBeforeDeletion((actor, design, undeploy) => this.prepareDeletion(actor, design, undeploy));
  }

  private async prepareDeletion(actor: Actor, { id }: Design, undeploy: boolean): Promise<void> {
    if (!undeploy) return this.protection.requireUnused({ designId: id });
    await this.protection.requireFinished({ designId: id });
    const destinations = await this.deployed.findByUse({ designId: id });
    for (const environment_id of new Set(destinations.map(({ environmentId }) => environmentId)))
      await this.answers.waitForSuccess(actor, await this.undeployments.undeploy(actor, { id, environment_id }));
  }
}
