import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict } from '../core/errors/app-error.js';
import { type DeployedDesign, DeployedDesignsStore, type Use } from './deployed-designs.store.js';
import type { Deployment } from './deployment.entity.js';
import { DeploymentsStore } from './deployments.store.js';
import { placeOf } from './targets/targets.js';

const MAX_LISTED = 100;

/** Protects what deployments use: what is deployed, and what has been accepted and has not ended. */
@Injectable()
export class InUseProtection {
  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly deployments: DeploymentsStore,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws Conflict IN_USE listing the deployments */
  async requireUnused(use: Use): Promise<void> {
    const [deployed, unfinished] = await this.unit.asSystem('the use of a record', async () => [
      await this.deployed.by(use),
      await this.deployments.unfinished(use),
    ]);
    if (deployed.length + unfinished.length > 0) throw inUse(deployed, unfinished);
  }

  /** The same for unfinished deployments only. */
  async requireFinished(use: Use): Promise<void> {
    const unfinished = await this.unit.asSystem('the use of a record', () => this.deployments.unfinished(use));
    if (unfinished.length > 0) throw inUse([], unfinished);
  }
}

/** Names what is deployed, and the deployments that have not ended. */
export function inUse(
  deployed: DeployedDesign[],
  unfinished: Deployment[] = [],
  remedy = 'Undeploy first: DELETE /api/pattern/deploy.',
): Conflict {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const reasons = [
    ...(deployed.length > 0 ? [`something is deployed in ${count(deployed.length, 'place')}`] : []),
    ...(unfinished.length > 0
      ? [`${count(unfinished.length, 'deployment')} ${unfinished.length === 1 ? 'has' : 'have'} not ended`]
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
        ...placeOf({ environmentId, connectionId, deploymentId: id }),
        status,
      })),
    ),
    ...deployed.map((place) => ({ design_id: place.designId, ...placeOf(place), status: 'deployed' })),
  ];
  return new Conflict('IN_USE', reasons.join(', and '), {
    extensions: { deployments: listed.slice(0, MAX_LISTED) },
    remedy: remedies.join(' '),
  });
}
