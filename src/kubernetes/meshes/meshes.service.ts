import { Injectable } from '@nestjs/common';
import { isObject } from '../../core/json/json.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError } from '../clusters/cluster-error.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import type { OpenCluster } from '../middleware/open-clusters.service.js';
import { type AddOn, MeshInventory } from './mesh-inventory.js';
import { MESHES, type MeshType } from './mesh-catalog.js';
import type { AddOnView, ControlPlaneView, DataPlaneView, TelemetryComponentView } from './mesh.view.js';

/** Caches the inventory, which several fields of an operation and repeated requests share. */
const INVENTORY_TTL_MS = 5_000;
const TIMEOUT_MS = 30_000;
const PAGE_SIZE = 250;
/** The maximum number of add-on Services per cluster. */
const MAX_SERVICES = 500;

interface Reading {
  inventory: Promise<MeshInventory>;
  at: number;
}

/** Detects service meshes and their add-ons from the workloads on clusters. */
@Injectable()
export class MeshesService {
  private readonly readings = new WeakMap<ClusterClient, Reading>();

  async listControlPlanes(clusters: OpenCluster[], type?: MeshType | null): Promise<ControlPlaneView[]> {
    const perCluster = await this.readAll(clusters, (inventory) =>
      meshesOf(inventory.members, type).map((mesh) => {
        const configuring = inventory.configuringMember(mesh);
        const proxies = inventory.proxies.filter((proxy) => proxy.mesh === mesh);
        return {
          name: nameOf(mesh),
          members: inventory.members
            .filter((member) => member.mesh === mesh)
            .map(({ mesh: _, ...member }) => ({
              ...member,
              data_planes:
                member.component === configuring
                  ? proxies.map((proxy) => ({ ...proxy, controlPlaneMemberName: configuring }))
                  : [],
            })),
        };
      }),
    );
    return perCluster.flat();
  }

  async listDataPlanes(clusters: OpenCluster[], type?: MeshType | null): Promise<DataPlaneView[]> {
    const perCluster = await this.readAll(clusters, (inventory) =>
      meshesOf(inventory.proxies, type).map((mesh) => ({
        name: nameOf(mesh),
        proxies: inventory.proxies
          .filter((proxy) => proxy.mesh === mesh)
          .map((proxy) => ({ ...proxy, controlPlaneMemberName: inventory.configuringMember(mesh) })),
      })),
    );
    return perCluster.flat();
  }

  async listAddOns(clusters: OpenCluster[], type?: MeshType | null): Promise<AddOnView[]> {
    const perCluster = await this.readAll(clusters, (inventory) => {
      const found = inventory.addOns
        .filter((addOn) => isAny(type) || inventory.meshOf(addOn) === type)
        .map((addOn) => ({ name: addOn.name, owner: ownerOf(inventory, addOn) }));
      return [...new Map(found.map((one) => [`${one.owner}/${one.name}`, one])).values()];
    });
    return perCluster.flat();
  }

  /** Lists the Services of add-ons for metrics, traces and logs. */
  async listTelemetry(clusters: OpenCluster[]): Promise<TelemetryComponentView[]> {
    const perCluster = await Promise.all(clusters.map((cluster) => this.readTelemetry(cluster)));
    return perCluster.flat();
  }

  private readAll<T>(clusters: OpenCluster[], read: (inventory: MeshInventory) => T): Promise<T[]> {
    return Promise.all(clusters.map(async ({ client }) => read(await this.getInventory(client))));
  }

  private async readTelemetry({ client }: OpenCluster): Promise<TelemetryComponentView[]> {
    const telemetry = (await this.getInventory(client)).addOns.filter(({ isTelemetry }) => isTelemetry);
    if (telemetry.length === 0) return [];
    const found: TelemetryComponentView[] = [];
    await walk(client, 'Service', (service) => {
      const { selector } = (service['spec'] ?? {}) as { selector?: unknown };
      const selected = telemetry.some((addOn) => selects(selector, service.metadata.namespace, addOn));
      if (!selected || found.length >= MAX_SERVICES) return;
      const { name } = service.metadata;
      found.push({ name, spec: toText(service['spec']), status: toText(service['status']) });
    });
    return found;
  }

  private getInventory(client: ClusterClient): Promise<MeshInventory> {
    const known = this.readings.get(client);
    if (known && performance.now() - known.at < INVENTORY_TTL_MS) return known.inventory;
    const reading = { inventory: readInventory(client), at: performance.now() };
    this.readings.set(client, reading);
    reading.inventory.catch(() => {
      if (this.readings.get(client) === reading) this.readings.delete(client);
    });
    return reading.inventory;
  }
}

async function readInventory(client: ClusterClient): Promise<MeshInventory> {
  const inventory = new MeshInventory();
  await walk(client, 'Pod', (pod) => inventory.addPod(pod));
  return inventory;
}

/** Calls back for each object of a core kind, in pages. @throws ClusterError, also on a timeout */
async function walk(client: ClusterClient, kind: string, visit: (object: KubernetesObject) => void): Promise<void> {
  const found = await client.findKind('v1', kind);
  if (!found) throw new ClusterError('protocol', `The cluster does not serve the kind ${kind}`);
  const turns = new TimeSlicer();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    for await (const page of client.listPages(found, { pageSize: PAGE_SIZE, signal }))
      for (const object of page) {
        visit(object);
        await turns.yieldToEventLoop();
      }
  } catch (error) {
    if (signal.aborted && !(error instanceof ClusterError))
      throw new ClusterError('timeout', `The cluster did not list its ${found.plural} in time`, { cause: error });
    throw error;
  }
}

/** The detected meshes of one type or all. */
function meshesOf(found: readonly { mesh: MeshType }[], type?: MeshType | null): MeshType[] {
  const meshes = [...new Set(found.map(({ mesh }) => mesh))].sort();
  return isAny(type) ? meshes : meshes.filter((mesh) => mesh === type);
}

const isAny = (type?: MeshType | null): boolean => !type || type === 'ALL_MESH';

const nameOf = (mesh: MeshType): string => MESHES[mesh]?.name ?? mesh.toLowerCase();

function ownerOf(inventory: MeshInventory, addOn: AddOn): string {
  const mesh = inventory.meshOf(addOn);
  return mesh ? nameOf(mesh) : addOn.namespace;
}

/** Reports whether a Service selects the pods of an add-on. */
function selects(selector: unknown, namespace: string | undefined, { namespace: own, podLabels }: AddOn): boolean {
  if (namespace !== own || !isObject(selector)) return false;
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([label, value]) => podLabels[label] === value);
}

const toText = (value: unknown): string => JSON.stringify(value ?? {});
