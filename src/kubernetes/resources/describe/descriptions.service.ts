import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../../core/errors/app-error.js';
import type { ClusterClient } from '../../clusters/cluster-client.js';
import { ClusterError } from '../../clusters/cluster-error.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import type { OpenCluster } from '../../middleware/open-clusters.service.js';
import type { KctlDescribeDetails } from '../cluster-resource.graphql.js';
import { describeObject } from './describe-object.js';
import { ObjectRedactors } from './object-redactors.js';

/** The maximum number of events in a description. */
const MAX_EVENTS = 100;

/** Describes the current state of objects on a cluster. */
@Injectable()
export class DescriptionsService {
  constructor(private readonly redactors: ObjectRedactors) {}

  /** Describes an object on the only cluster. @throws InvalidRequest when there are several */
  async describeOn(
    clusters: OpenCluster[],
    kind: string,
    name: string,
    namespace: string,
  ): Promise<KctlDescribeDetails> {
    const [cluster] = clusters;
    if (!cluster || clusters.length > 1)
      throw InvalidRequest.forField(
        'connectionID',
        'must name one of several clusters',
        'Send the id of a connection.',
      );
    return { describe: await this.describe(cluster, kind, name, namespace), ctxid: cluster.connection.id };
  }

  /**
   * @param kind in kubectl's notation: `Pod`, `pods` or `deployments.apps`
   * @throws InvalidRequest when the cluster does not serve the kind
   * @throws ClusterError when the object does not exist
   */
  private async describe(
    { client, connection }: OpenCluster,
    kind: string,
    name: string,
    namespace: string,
  ): Promise<string> {
    const found = await this.findKind(client, kind);
    const object = await client.get(found, name, found.namespaced ? namespace || 'default' : undefined);
    const shown = await this.redactors.redact(connection.id, object, await this.listEvents(client, object));
    return describeObject(found, shown.object, shown.events);
  }

  private async findKind(client: ClusterClient, asked: string): Promise<ResourceKind> {
    const [word = '', ...group] = asked.toLowerCase().split('.');
    const candidates = (await client.listKinds()).filter(
      (one) =>
        one.preferred &&
        [one.kind.toLowerCase(), one.plural].includes(word) &&
        (group.length === 0 || one.group === group.join('.')),
    );
    // Core kinds precede other built-in kinds, which precede custom kinds of the same name.
    const [found] = candidates.sort((a, b) => a.group.length - b.group.length);
    if (found) return found;
    throw InvalidRequest.forField('kind', 'is not served by the cluster', 'Send a kind such as Pod or Deployment.');
  }

  /** The credential may lack permission to read events. */
  private async listEvents(client: ClusterClient, { metadata }: KubernetesObject): Promise<KubernetesObject[]> {
    const kind = await client.findKind('v1', 'Event');
    if (!kind || !metadata.uid) return [];
    try {
      const fieldSelector = `involvedObject.uid=${metadata.uid}`;
      const pages = client.listPages(kind, {
        namespace: metadata.namespace ?? 'default',
        fieldSelector,
        pageSize: MAX_EVENTS,
      });
      for await (const page of pages) return page;
      return [];
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'forbidden') return [];
      throw error;
    }
  }
}
