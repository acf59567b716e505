import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { asObject, type Json, type JsonObject } from '../../src/core/json/json.js';
import { ClusterError } from '../../src/kubernetes/clusters/cluster-error.js';
import { type ClusterClient } from '../../src/kubernetes/clusters/cluster-client.js';
import { type KubernetesObject } from '../../src/kubernetes/clusters/kubernetes-object.js';
import { type ResourceKind } from '../../src/kubernetes/clusters/discovery.js';

/** What is on a cluster, by `kind namespace/name`, without what the cluster itself decides or makes. */
export type ClusterState = Map<string, JsonObject>;

/** Kinds that the cluster writes all the time, and the twin of EndpointSlice. */
const PASSING = new Set(['Event', 'Lease', 'Endpoints', 'EndpointSlice', 'ComponentStatus', 'IPAddress', 'PodMetrics', 'NodeMetrics']); // prettier-ignore
/** What is called at every write, and would refuse the rest. */
const CALLED = /Webhook|AdmissionPolicy|APIService/;
const RELEASE = 'helm.sh/release.v1';
const TIMEOUT_MS = 120_000;
const PAUSE_MS = 300;

/** What others put on a cluster after it was looked at first, and a way to be rid of it. */
export class ClusterContent {
  private readonly before = new Set<string>();

  private constructor(private readonly client: ClusterClient) {}

  static async of(client: ClusterClient): Promise<ClusterContent> {
    const content = new ClusterContent(client);
    await content.keepAll();
    return content;
  }

  /** Takes what is there now for a part of the cluster. */
  async keepAll(): Promise<void> {
    for (const { object } of await this.added()) this.before.add(object.metadata.uid as string);
  }

  /** The state that controllers leave: what two looks in a row find, once every workload has been looked at by its controller. */
  async state(): Promise<ClusterState> {
    let before: ClusterState | undefined;
    for (const deadline = Date.now() + TIMEOUT_MS; ; await wait(PAUSE_MS)) {
      const added = await this.added();
      const state = toState(added);
      const isSettled = added.every(({ kind, object }) => isObserved(kind, object));
      if (Date.now() > deadline || (isSettled && before && isDeepStrictEqual(state, before))) return state;
      before = state;
    }
  }

  /** Deletes what was added, and waits until it is gone. */
  async clear(): Promise<void> {
    for (const deadline = Date.now() + TIMEOUT_MS; ; await wait(100)) {
      const added = await this.added();
      if (added.length === 0) return;
      if (Date.now() > deadline) throw new Error(`${added.map(({ object }) => nameOf(object)).join(', ')} stays`);
      const namespaces = new Set(added.filter(({ kind }) => kind.kind === 'Namespace').map(({ object }) => object.metadata.name)); // prettier-ignore
      const order = ({ kind }: ResourceKind): number => (CALLED.test(kind) ? 0 : 1);
      for (const { kind, object } of added.sort((a, b) => order(a.kind) - order(b.kind))) {
        const { name, namespace, deletionTimestamp } = object.metadata;
        if (!deletionTimestamp) {
          // What is in a namespace that goes is deleted with it.
          if (!namespaces.has(namespace ?? '')) await unlessGone(this.client.delete(kind, name, namespace));
        } else if (Array.isArray(object.metadata['finalizers']) && kind.kind !== 'CustomResourceDefinition') {
          const body = { metadata: { finalizers: null } };
          await unlessGone(this.client.patch(kind, name, namespace, { type: 'merge', body }));
        }
      }
      this.client.invalidateKinds();
    }
  }

  private async added(): Promise<{ kind: ResourceKind; object: KubernetesObject }[]> {
    const kinds = (await this.client.listKinds(0)).filter(({ kind, preferred, verbs }) => preferred && verbs.includes('list') && !PASSING.has(kind)); // prettier-ignore
    const lists = kinds.map(async (kind) => {
      const objects = await this.client.list(kind).catch(noneUnlessServed);
      return objects.map((object) => ({ kind, object: { ...object, apiVersion: kind.apiVersion, kind: kind.kind } }));
    });
    return (await Promise.all(lists)).flat().filter(({ object }) => !this.before.has(object.metadata.uid as string));
  }
}

function toState(added: { object: KubernetesObject }[]): ClusterState {
  const own = added.filter(({ object }) => object['type'] !== RELEASE && !object.metadata['ownerReferences']);
  return new Map(own.map(({ object }) => [nameOf(object), comparable(object)]));
}

function isObserved({ group, kind }: ResourceKind, { metadata, status }: KubernetesObject): boolean {
  return (
    kind === 'ControllerRevision' ||
    group !== 'apps' ||
    asObject(status as Json)['observedGeneration'] === metadata['generation']
  );
}

/** A kind whose definition has just come or gone, or whose own server is away, has no objects. */
function noneUnlessServed(error: unknown): KubernetesObject[] {
  if (error instanceof ClusterError && ['notFound', 'throttled', 'unavailable'].includes(error.kind)) return [];
  throw error;
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ClusterError)) throw error;
  });
}

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

const SERVER_METADATA = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'];

/** Without what the server decides, and what says who manages the object. */
function comparable(object: KubernetesObject): JsonObject {
  const copy = structuredClone(object) as unknown as JsonObject;
  delete copy['status'];
  const metadata = asObject(copy['metadata']);
  for (const field of SERVER_METADATA) delete metadata[field];
  for (const part of ['labels', 'annotations']) {
    const kept = Object.entries(asObject(metadata[part])).filter(([name]) => !/^(?:armature\.dev|meta\.helm\.sh)\/|^app\.kubernetes\.io\/managed-by$/.test(name)); // prettier-ignore
    if (kept.length > 0) metadata[part] = Object.fromEntries(kept);
    else delete metadata[part];
  }
  const spec = asObject(copy['spec']);
  if (object.kind === 'Service') dropAssigned(spec);
  if (object['type'] === 'kubernetes.io/service-account-token') {
    delete copy['data'];
    delete asObject(metadata['annotations'])['kubernetes.io/service-account.uid'];
  }
  if (object.kind === 'Job') {
    delete spec['selector'];
    const labels = asObject(asObject(asObject(spec['template'])['metadata'])['labels']);
    for (const name of Object.keys(labels)) if (name.endsWith('controller-uid')) delete labels[name];
  }
  return copy;
}

/** Addresses and ports that the cluster has chosen. */
function dropAssigned(spec: JsonObject): void {
  if (spec['clusterIP'] !== 'None') for (const field of ['clusterIP', 'clusterIPs']) delete spec[field];
  delete spec['healthCheckNodePort'];
  for (const port of (spec['ports'] as JsonObject[] | undefined) ?? []) delete port['nodePort'];
}
