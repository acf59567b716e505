import { Injectable } from '@nestjs/common';
import { Conflict } from '../../core/errors/app-error.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { Deployment, DeploymentOptions } from '../deployment.entity.js';

/** Resolves the namespace for objects of a design that name none. */
@Injectable()
export class DeployedNamespacesService {
  constructor(private readonly deployed: DeployedDesignsStore) {}

  /** @throws Conflict NAMESPACE_CHANGED when the design is deployed to another namespace on one of the clusters */
  async requireSame(
    { designId, environmentId, connectionIds }: Pick<Deployment, 'designId' | 'environmentId' | 'connectionIds'>,
    options: Pick<DeploymentOptions, 'namespace' | 'move'>,
  ): Promise<void> {
    const destinations = await this.deployed.findByUse({ designId, environmentId });
    for (const { connectionId, namespace } of destinations)
      if (connectionIds.includes(connectionId)) this.resolve(namespace, options);
  }

  /**
   * The requested namespace, else the one to which the design is deployed; undefined when neither is known.
   * @throws Conflict NAMESPACE_CHANGED when the two differ and the request does not set `move`
   */
  resolve(
    deployed: string | null | undefined,
    { namespace, move }: Pick<DeploymentOptions, 'namespace' | 'move'>,
  ): string | undefined {
    if (!deployed || !namespace || deployed === namespace || move) return namespace ?? deployed ?? undefined;
    throw new Conflict(
      'NAMESPACE_CHANGED',
      `the design is deployed there in namespace ${deployed}, and the call names ${namespace}`,
      {
        errors: [{ pointer: '/namespace', detail: `is not ${deployed}, where the design is deployed` }],
        extensions: { deployed_namespace: deployed, requested_namespace: namespace },
        remedy:
          'Leave the namespace out, or send move: true, which deploys into the other one and removes what is in the old one.',
      },
    );
  }
}
