import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import { countOf } from '../../core/errors/wording.js';
import { type DeployedDesign, DeployedDesignsStore, type DeploymentUse } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentsStore } from '../deployments.store.js';
import { describeDeployed } from '../targets/targets.service.js';

const MAX_LISTED = 100;

/** Protects what deployed designs and unfinished deployments use. */
@Injectable()
export class InUseProtectionService {
  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly deployments: DeploymentsStore,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws Conflict IN_USE listing the deployments */
  async requireUnused(use: DeploymentUse): Promise<void> {
    const [deployed, unfinished] = await this.unit.runAsSystem('the use of a record', async () =>
      (await this.deployed.isInUse(use))
        ? [await this.deployed.findByUse(use), await this.deployments.findUnfinished(use)]
        : [[], []],
    );
    if (deployed.length + unfinished.length > 0) throw inUseConflict(deployed, unfinished);
  }

  /** As `requireUnused`, for unfinished deployments only. */
  async requireFinished(use: DeploymentUse): Promise<void> {
    const unfinished = await this.unit.runAsSystem('the use of a record', () => this.deployments.findUnfinished(use));
    if (unfinished.length > 0) throw inUseConflict([], unfinished);
  }
}

/** The error that lists deployed designs and unfinished deployments. */
export function inUseConflict(
  deployed: DeployedDesign[],
  unfinished: Deployment[] = [],
  remedy = 'Undeploy first: DELETE /api/pattern/deploy.',
): Conflict {
  const reasons = [
    ...(deployed.length > 0 ? [`something is deployed in ${countOf(deployed.length, 'destination')}`] : []),
    ...(unfinished.length > 0
      ? [`${countOf(unfinished.length, 'deployment')} ${unfinished.length === 1 ? 'has' : 'have'} not ended`]
      : []),
  ];
  const remedies = [
    ...(deployed.length > 0 ? [remedy] : []),
    ...(unfinished.length > 0 ? ['Wait for the deployment, or cancel it: POST /api/deployments/{id}/cancel.'] : []),
  ];
  const listed = [
    ...unfinished.flatMap(({ id, designId, environmentId, connectionIds, status }) =>
      connectionIds.map((connectionId) => ({
        design_id: designId,
        ...describeDeployed({ environmentId, connectionId, deploymentId: id }),
        status,
      })),
    ),
    ...deployed.map((place) => ({ design_id: place.designId, ...describeDeployed(place), status: 'deployed' })),
  ];
  return new Conflict('IN_USE', reasons.join(', and '), {
    extensions: { deployments: listed.slice(0, MAX_LISTED) },
    remedy: remedies.join(' '),
  });
}
