import { Injectable } from '@nestjs/common';
import { SealedValuesService } from '../../designs/sealed-values.service.js';
import { DeploymentRightsService } from '../admission/deployment-rights.service.js';
import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { findClusterUid } from '../../kubernetes/clusters/cluster-identity.js';
import type { FindSealedValues } from '../plan/sealed-values.js';

/** Gives deployments the values of Secrets that designs were read from a cluster with. */
@Injectable()
export class SealedValuesLookup {
  constructor(
    private readonly sealed: SealedValuesService,
    private readonly rights: DeploymentRightsService,
  ) {}

  /**
   * Finds the values for Secrets of a design on a cluster: where they were read, for everybody who may deploy there; elsewhere only for
   * an admin of the organization. They are decrypted once they are needed.
   */
  create(
    { designId, requestedBy }: { designId: string; requestedBy: string | null },
    connectionId: string,
    cluster: ClusterClient,
  ): FindSealedValues {
    const open = once(() => this.sealed.open(designId));
    const findUid = once(() => findClusterUid(cluster));
    return async ({ name, namespace }) => {
      const kept = await open();
      if (!kept) return undefined;
      const isPlace = kept.connectionId === connectionId && kept.namespace === namespace;
      // The connection may lead to another cluster by now.
      const isHome = isPlace && (!kept.clusterUid || kept.clusterUid === (await findUid()));
      const isAllowed = isHome || (await this.rights.mayCarrySecretValues(requestedBy, kept.organizationId));
      return isAllowed ? kept.secrets[name] : undefined;
    };
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
