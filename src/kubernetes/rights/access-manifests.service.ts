import { Injectable } from '@nestjs/common';
import { ConnectionsService } from '../../connections/connections.service.js';
import type { Connection } from '../../connections/connection.entity.js';
import type { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { AppError } from '../../core/errors/app-error.js';
import { clusterPolicy } from '../cluster.policy.js';
import { ClusterError } from '../clusters/cluster-error.js';
import type { ResourceKind } from '../clusters/discovery.js';
import { groupOf } from '../clusters/kubernetes-object.js';
import { isContentOfNamespaces } from '../clusters/system-objects.js';
import { assertCluster, OpenClustersService } from '../middleware/open-clusters.service.js';
import { buildAccessManifest, manifestName } from './access-manifest.js';
import { DesignKindsRegistry } from './design-kinds.registry.js';
import {
  BUILT_IN_KINDS,
  type GrantedKind,
  type Purpose,
  REQUIRED_RIGHTS,
  type RequiredRight,
  rightToChangeNamespaces,
  rightsToDeploy,
  USUAL_KINDS,
} from './required-rights.js';
import { ManifestQuery, RightsQuery } from './rights.inputs.js';

/** How long the cluster is waited for, whose kinds a manifest names; without them it names those of Kubernetes. */
const DISCOVERY_MS = 5_000;

/** Builds manifests that grant the permissions of a connection. */
@Injectable()
export class AccessManifestsService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly clusters: OpenClustersService,
    private readonly designs: DesignKindsRegistry,
    private readonly env: Env,
  ) {}

  async build(actor: Actor, id: string, query: ManifestQuery): Promise<{ name: string; text: string }> {
    await this.connections.authorize(actor, clusterPolicy.readRights, id);
    const connection = await this.connections.get(actor, id);
    assertCluster(connection.kind, 'id');
    const purposes = RightsQuery.purposesOf(query, ['deploy']);
    const namespaces = ManifestQuery.namespacesOf(query);
    const deploy = purposes.includes('deploy')
      ? await this.findRightsToDeploy(actor, connection, namespaces, query.workspace_id)
      : { rights: [], unknownKinds: [] };
    const rightsOf: Record<Purpose, readonly RequiredRight[]> = {
      ...REQUIRED_RIGHTS,
      deploy: deploy.rights,
      watch: REQUIRED_RIGHTS.watch.filter(({ namespaced }) => namespaced || !namespaces),
    };
    const text = buildAccessManifest({
      purposes: purposes.map((purpose) => ({ purpose, rights: rightsOf[purpose] })),
      server: String(connection.metadata['server']),
      namespaces,
      operatorNamespace: this.env.OPERATOR_NAMESPACE,
      unknownKinds: deploy.unknownKinds,
    });
    return { name: manifestName(purposes), text };
  }

  private async findRightsToDeploy(
    actor: Actor,
    connection: Connection,
    namespaces?: readonly string[],
    workspaceId?: string,
  ): Promise<{ rights: RequiredRight[]; unknownKinds: string[] }> {
    const designs = workspaceId ? await this.designs.read(actor, connection.organizationId, workspaceId) : null;
    const served = await this.findServedKinds(actor, connection.id);
    // What a design says of a kind counts only where neither the cluster nor Kubernetes has it.
    const known = [...(served ?? []), ...BUILT_IN_KINDS, ...(designs?.defined ?? [])];
    const wanted = designs?.kinds.map(({ apiVersion, kind }) => ({
      name: `${kind} of ${apiVersion}`,
      found: known.find((one) => one.kind === kind && one.group === groupOf(apiVersion)),
    }));
    const kinds = wanted ? wanted.flatMap(({ found }) => found ?? []) : USUAL_KINDS;
    // The namespaces exist: a design may change its own, but neither make nor delete one.
    const isOfNamespaces = ({ group, kind }: GrantedKind) => group === '' && kind === 'Namespace' && namespaces;
    const rights = rightsToDeploy(
      kinds.filter((kind) => !isOfNamespaces(kind)),
      {
        contents: served?.filter(isContentOfNamespaces) ?? BUILT_IN_KINDS.filter(({ namespaced }) => namespaced),
        defined: designs?.defined,
      },
    );
    if (wanted && namespaces && kinds.some(isOfNamespaces)) rights.push(rightToChangeNamespaces(namespaces));
    return { rights, unknownKinds: wanted?.flatMap(({ found, name }) => (found ? [] : [name])) ?? [] };
  }

  /** Undefined when the cluster does not answer, as before its first credential. */
  private async findServedKinds(actor: Actor, id: string): Promise<ResourceKind[] | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, DISCOVERY_MS, undefined)));
    const asked = this.clusters.get(actor, id, clusterPolicy.readRights).then(({ client }) => client.listKinds());
    try {
      return await Promise.race([asked, late]);
    } catch (error) {
      if (error instanceof ClusterError || error instanceof AppError) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
      asked.catch(() => undefined);
    }
  }
}
