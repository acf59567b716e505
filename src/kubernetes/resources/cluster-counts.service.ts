import { Injectable } from '@nestjs/common';
import { ConnectionsService } from '../../connections/connections.service.js';
import type { Actor } from '../../core/access/actor.js';
import type { SnapshotFollower } from '../../core/pubsub/snapshot-follower.js';
import { ClusterError } from '../clusters/cluster-error.js';
import type { OpenCluster } from '../middleware/open-clusters.service.js';
import type { ClusterResources, NameSpace } from './cluster-resource.graphql.js';
import { ClusterResourcesService } from './cluster-resources.service.js';
import { resourcePolicy } from './resource.policy.js';
import { ResyncsService } from './watch/resyncs.service.js';

/** Counts the objects on clusters. */
@Injectable()
export class ClusterCountsService {
  constructor(
    private readonly resources: ClusterResourcesService,
    private readonly connections: ConnectionsService,
    private readonly resyncs: ResyncsService,
  ) {}

  /** Lists the current namespaces of the clusters. */
  async listNamespaces(clusters: OpenCluster[]): Promise<NameSpace[]> {
    const names = await Promise.all(
      clusters.map(async ({ client }) => {
        const kind = await client.findKind('v1', 'Namespace');
        if (!kind) throw new ClusterError('protocol', 'The cluster does not serve the kind Namespace');
        return (await client.listMetadata(kind)).map(({ metadata }) => metadata.name);
      }),
    );
    return [...new Set(names.flat())].sort().map((namespace) => ({ namespace }));
  }

  /**
   * Follows the counts; each message checks the permission on each connection again.
   * @throws Conflict WATCH_DISABLED
   */
  follow(actor: Actor, clusters: OpenCluster[], namespace: string): Promise<SnapshotFollower<ClusterResources>> {
    this.resyncs.assertWatching();
    const connectionIds = clusters.map(({ connection }) => connection.id);
    return this.resources.follow(connectionIds, async () => {
      for (const id of connectionIds) await this.connections.authorize(actor, resourcePolicy.read, id);
      const counts = await this.resources.countByKind(actor, { connectionIds, namespace: namespace || undefined });
      return { resources: counts.map(({ name, count }) => ({ kind: name, count })) };
    });
  }
}
