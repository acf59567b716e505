import { Injectable } from '@nestjs/common';
import { ConnectionsService } from '../../connections/connections.service.js';
import { Access } from '../../core/authorization/access.service.js';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { Page } from '../../core/listing/page.js';
import type { SnapshotFollower } from '../../core/pubsub/snapshot-follower.js';
import { SnapshotsService } from '../../core/pubsub/snapshots.service.js';
import type { RecordAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import type { ClusterResource } from './cluster-resource.entity.js';
import {
  ClusterResourcesStore,
  type ResourceCount,
  type ResourceName,
  type ResourceScope,
  type WatchSummary,
} from './cluster-resources.store.js';
import type { ClusterResourceListQuery, ResourceSummaryQuery } from './resource.inputs.js';
import { resourcePolicy } from './resource.policy.js';
import { RESOURCES_TOPIC, type ResourcesMessage } from './watch/watched-resources.store.js';

/** The number of objects by kind, namespace, label and health. */
export interface ResourceSummary {
  kinds: ResourceCount[];
  namespaces: ResourceCount[];
  labels: ResourceCount[];
  connections: WatchSummary[];
}

/**
 * Objects on connected clusters as stored by the watches, for users who may see the connections. Other features use
 * `findByKinds` for objects with contents (such as the pods of a mesh), `findByName` for the state of known objects,
 * and `follow` for a snapshot that is read again after each change on its clusters.
 */
@Injectable()
export class ClusterResourcesService implements RecordAuthorizer {
  constructor(
    private readonly resources: ClusterResourcesStore,
    private readonly connections: ConnectionsService,
    private readonly organizations: OrganizationsService,
    private readonly snapshots: SnapshotsService,
    private readonly access: Access,
  ) {}

  async list(actor: Actor, query: ClusterResourceListQuery): Promise<Page<ClusterResource>> {
    assertScope(actor, resourcePolicy.read);
    if (query.organization_id) await this.organizations.resolve(actor, query.organization_id);
    const { connection_id } = query.toConditions();
    if (typeof connection_id === 'string') await this.connections.get(actor, connection_id);
    return this.resources.page(actor, query.organization_id, query);
  }

  /** Returns an object with its content. @throws NotFound */
  async get(actor: Actor, id: string): Promise<ClusterResource> {
    assertScope(actor, resourcePolicy.read);
    const found = await this.resources.find(actor, id);
    if (!found) throw new NotFound('resource', id);
    return found;
  }

  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const { connectionId, organizationId } = await this.get(actor, id);
    await this.access.authorize(actor, operation, { type: 'connection', id: connectionId, organizationId });
  }

  async getSummary(actor: Actor, query: ResourceSummaryQuery): Promise<ResourceSummary> {
    assertScope(actor, resourcePolicy.read);
    const { organization_id: organizationId, connection_id: connectionId } = query;
    if (organizationId) await this.organizations.resolve(actor, organizationId);
    if (connectionId) await this.connections.get(actor, connectionId);
    const scope = { organizationId, ...(connectionId && { connectionIds: [connectionId] }) };
    const [kinds, namespaces, labels, connections] = await Promise.all([
      this.resources.countByKind(actor, scope),
      this.resources.countByNamespace(actor, scope),
      this.resources.countByLabel(actor, scope),
      this.resources.listWatches(actor, scope),
    ]);
    return { kinds, namespaces, labels, connections };
  }

  /** Returns up to `limit` objects of these kinds with contents; the system reads all organizations. */
  findByKinds(actor: Actor, scope: ResourceScope, kinds: string[], limit = 5_000): Promise<ClusterResource[]> {
    return this.resources.findByKinds(actor, scope, kinds, limit);
  }

  /** Returns the existing ones of these objects by index, without contents; callers check permissions. */
  findByName(names: ResourceName[]): Promise<Map<number, ClusterResource>> {
    return this.resources.findByName(names);
  }

  countByKind(actor: Actor, scope: ResourceScope): Promise<ResourceCount[]> {
    return this.resources.countByKind(actor, scope);
  }

  listNamespaces(actor: Actor, connectionIds: string[]): Promise<string[]> {
    return this.resources.listNamespaces(actor, connectionIds);
  }

  listWatches(actor: Actor, connectionIds: string[]): Promise<WatchSummary[]> {
    return this.resources.listWatches(actor, { connectionIds });
  }

  /** Follows a snapshot of these clusters: the current one, then each different one. `read` checks permissions each time. */
  follow<T>(connectionIds: readonly string[], read: () => Promise<T>): Promise<SnapshotFollower<T>> {
    return this.snapshots.follow({
      topic: RESOURCES_TOPIC,
      filter: ({ connection }: ResourcesMessage) => connectionIds.includes(connection),
      read,
      fingerprint: JSON.stringify,
    });
  }
}
