import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { isObject } from '../../core/json/json.js';
import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError } from '../clusters/cluster-error.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import { parseImageReference } from '../meshes/image-reference.js';
import { type OpenCluster, OpenClustersService } from '../middleware/open-clusters.service.js';
import { assessHealth } from '../resources/health/health.js';
import { healthOf } from '../resources/health/health-status.js';
import { ControllerInstallationsStore } from './controller-installations.store.js';
import {
  type ControllerState,
  type FoundController,
  PLATFORM_CONTROLLERS,
  type PlatformController,
  toControllerState,
} from './controller-status.js';
import { OPERATOR } from './manifests/controller-manifests.service.js';

/** Caches statuses, so that concurrent subscribers and fields share one read of the cluster. */
const STATUS_TTL_MS = 1_000;
const TIMEOUT_MS = 10_000;
/** The page size of listing workloads. */
const PAGE_SIZE = 100;

type Found = Partial<Record<PlatformController, FoundController>>;

/** A read of the cluster that began when the installation of the operator had this revision. */
interface Look {
  found: Promise<Found>;
  at: number;
  revision: number;
}

export interface ControllerStates {
  connectionId: string;
  states: ControllerState[];
}

/** Reads the statuses of the operator, the broker and the resource sync from the running workloads, whoever deployed them. */
@Injectable()
export class ControllerStatusesService {
  private readonly looks = new WeakMap<ClusterClient, Look>();

  constructor(
    private readonly installations: ControllerInstallationsStore,
    private readonly clusters: OpenClustersService,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
  ) {}

  /** @throws ClusterError */
  async read({ connection, client }: OpenCluster): Promise<ControllerState[]> {
    // The installation first: the cluster is not older than the outcome that it and its events report.
    const wanted = await this.unit.runAsSystem('the status of a controller', () =>
      this.installations.find(connection.id, OPERATOR),
    );
    const found = await this.look(client, wanted?.revision ?? 0);
    return PLATFORM_CONTROLLERS.map((controller) => toControllerState(controller, found[controller], wanted));
  }

  async get(cluster: OpenCluster, controller: PlatformController): Promise<ControllerState> {
    const states = await this.read(cluster);
    return states.find((state) => state.controller === controller) ?? toControllerState(controller, undefined, null);
  }

  /** Reads the statuses of several clusters, and checks permissions again; unreachable clusters are UNKNOWN. */
  readAll(actor: Actor, connectionIds: readonly string[]): Promise<ControllerStates[]> {
    return Promise.all(
      connectionIds.map(async (connectionId) => {
        const cluster = await this.clusters.get(actor, connectionId);
        const states = await this.read(cluster).catch((error: unknown) => {
          if (error instanceof ClusterError) return PLATFORM_CONTROLLERS.map((one) => toUnknown(one, error));
          throw error;
        });
        return { connectionId, states };
      }),
    );
  }

  private look(client: ClusterClient, revision: number): Promise<Found> {
    const known = this.looks.get(client);
    if (known?.revision === revision && performance.now() - known.at < STATUS_TTL_MS) return known.found;
    const look = { found: this.find(client), at: performance.now(), revision };
    this.looks.set(client, look);
    look.found.catch(() => {
      if (this.looks.get(client) === look) this.looks.delete(client);
    });
    return look.found;
  }

  private async find(client: ClusterClient): Promise<Found> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const found: Found = {};
    try {
      for (const kind of ['Deployment', 'StatefulSet'])
        for (const object of await listWorkloads(client, kind, this.env.OPERATOR_NAMESPACE, signal)) {
          const controller = controllerOf(object);
          if (controller) found[controller] ??= toFound(object);
        }
    } catch (error) {
      if (signal.aborted && !(error instanceof ClusterError))
        throw new ClusterError('timeout', 'The cluster did not list its workloads in time', { cause: error });
      throw error;
    }
    return found;
  }
}

async function listWorkloads(
  client: ClusterClient,
  kind: string,
  namespace: string,
  signal: AbortSignal,
): Promise<KubernetesObject[]> {
  const found = await client.findKind('apps/v1', kind);
  if (!found) throw new ClusterError('protocol', `The cluster does not serve the kind ${kind}`);
  return client.list(found, { namespace, pageSize: PAGE_SIZE, signal });
}

/** Identifies the controller by the component label, or by the name that common charts use. */
function controllerOf({ metadata }: KubernetesObject): PlatformController | undefined {
  const component = metadata.labels?.['app.kubernetes.io/component'];
  return PLATFORM_CONTROLLERS.find(
    (controller) => component === controller.toLowerCase() || metadata.name === `meshery-${controller.toLowerCase()}`,
  );
}

function toFound(object: KubernetesObject): FoundController {
  const { template } = isObject(object.spec) ? object.spec : {};
  const { spec } = isObject(template) ? template : {};
  const { containers } = isObject(spec) ? spec : {};
  const [first] = Array.isArray(containers) ? containers : [];
  const { tag } = parseImageReference(isObject(first) ? first['image'] : undefined);
  return { health: assessHealth(object) ?? healthOf('Unknown', 'its status cannot be read'), version: tag || null };
}

const toUnknown = (controller: PlatformController, { code, message }: ClusterError): ControllerState => ({
  controller,
  status: 'UNKNOWN',
  version: null,
  error: { code, description: message },
});
