import { isObject } from '../../core/json/json.js';
import { ClusterError } from '../clusters/cluster-error.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import { sanitizeClusterText } from '../clusters/sanitize-cluster-text.js';
import { parseImageReference } from './image-reference.js';
import { findAddOn, MESHES, type MeshType, recognize } from './mesh-catalog.js';

type Json = Record<string, unknown>;

/** A pod of a control plane. */
export interface MeshMember {
  mesh: MeshType;
  name: string;
  component: string;
  version: string;
  namespace: string;
}

/** A container by the spec and status of its pod. */
export interface ProxyContainer {
  mesh: MeshType;
  containerName: string;
  image: string;
  status: ContainerState | null;
  ports: { name: string | null; containerPort: number | null; protocol: string | null }[];
  resources: Json | null;
}

export interface ContainerState {
  containerStatusName: string;
  image: string;
  state: Json | null;
  lastState: Json | null;
  ready: boolean;
  restartCount: number;
  started: boolean;
  imageID: string;
  containerID: string;
}

export interface AddOn {
  name: string;
  namespace: string;
  isTelemetry: boolean;
  podLabels: Record<string, string>;
  /** The mesh in its own labels, if any; it may run in any namespace. */
  mesh?: MeshType;
}

/** Exceeds the size of any real cluster, so more indicates a malicious response. */
const MAX_FOUND = 10_000;
const MAX_NAME_LENGTH = 300;
const MAX_MAP_LENGTH = 8_192;
const MAX_PORTS = 50;
const MAX_INT = 2 ** 31 - 1;
/** Labels that name the component of a pod, the most specific first. */
const COMPONENT_LABELS = [
  'linkerd.io/control-plane-component',
  'app',
  'app.kubernetes.io/name',
  'k8s-app',
  'component',
  'app.kubernetes.io/component',
];

/** Collects service meshes and add-ons from the pods of a cluster. */
export class MeshInventory {
  readonly members: MeshMember[] = [];
  readonly proxies: ProxyContainer[] = [];
  readonly addOns: AddOn[] = [];

  /** @throws ClusterError when there are too many containers */
  addPod(pod: KubernetesObject): void {
    const spec = record(pod['spec']);
    const statuses = containerStatuses(record(pod['status']));
    const labels = textMembers(pod.metadata.labels);
    const namespace = name(pod.metadata.namespace);
    let member: MeshMember | undefined;
    for (const container of [...records(spec['containers']), ...sidecars(spec['initContainers'])]) {
      const { repository, tag } = parseImageReference(container['image']);
      const own = recognize({ repository, container: name(container['name']), podLabels: labels });
      if (own?.side === 'proxy') this.proxies.push(toProxy(own.mesh, container, statuses));
      else if (own)
        member ??= {
          mesh: own.mesh,
          name: name(pod.metadata.name),
          component: componentOf(labels, name(container['name'])),
          version: name(tag || labels['app.kubernetes.io/version']),
          namespace,
        };
      const addOn = findAddOn(repository);
      if (addOn) {
        const { isTelemetry } = addOn;
        const mesh = labels['linkerd.io/extension'] ? ('LINKERD' as const) : undefined;
        this.addOns.push({ name: addOn.name, isTelemetry, namespace, podLabels: labels, mesh });
      }
    }
    if (member) this.members.push(member);
    if (this.members.length + this.proxies.length + this.addOns.length > MAX_FOUND)
      throw new ClusterError('tooLarge', `The cluster has more than ${MAX_FOUND} containers of service meshes`);
  }

  /** The mesh of an add-on: by its labels, otherwise the one whose control plane runs in the same namespace. */
  meshOf({ namespace, mesh }: AddOn): MeshType | undefined {
    return mesh ?? this.members.find((member) => member.namespace === namespace)?.mesh;
  }

  /** The component that configures the proxies of a mesh; empty when none runs. */
  configuringMember(mesh: MeshType): string {
    const members = this.members.filter((member) => member.mesh === mesh);
    return (members.find(({ component }) => MESHES[mesh]?.configures.test(component)) ?? members[0])?.component ?? '';
  }
}

function toProxy(mesh: MeshType, container: Json, statuses: Map<string, Json>): ProxyContainer {
  const containerName = name(container['name']);
  const status = statuses.get(containerName);
  return {
    mesh,
    containerName,
    image: name(container['image']),
    status: status ? toState(status) : null,
    ports: records(container['ports'])
      .slice(0, MAX_PORTS)
      .map((port) => ({
        name: name(port['name']) || null,
        containerPort: int(port['containerPort']),
        protocol: name(port['protocol']) || null,
      })),
    resources: boundedMap(container['resources']),
  };
}

const toState = (status: Json): ContainerState => ({
  containerStatusName: name(status['name']),
  image: name(status['image']),
  state: boundedMap(status['state']),
  lastState: boundedMap(status['lastState']),
  ready: status['ready'] === true,
  restartCount: int(status['restartCount']) ?? 0,
  started: status['started'] === true,
  imageID: name(status['imageID']),
  containerID: name(status['containerID']),
});

function containerStatuses(status: Json): Map<string, Json> {
  const listed = [...records(status['containerStatuses']), ...records(status['initContainerStatuses'])];
  return new Map(listed.map((one) => [name(one['name']), one]));
}

/** Init containers that restart always, which run as sidecars. */
const sidecars = (containers: unknown): Json[] =>
  records(containers).filter((container) => container['restartPolicy'] === 'Always');

const componentOf = (labels: Record<string, string>, fallback: string): string =>
  name(COMPONENT_LABELS.map((label) => labels[label]).find(Boolean)) || fallback;

/** Returns an empty object for malformed parts of a cluster's response. */
const record = (value: unknown): Json => (isObject(value) ? value : {});
const records = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const name = (value: unknown): string => sanitizeClusterText(value, MAX_NAME_LENGTH);
const int = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(value as number) <= MAX_INT ? (value as number) : null;
const boundedMap = (value: unknown): Json | null =>
  isObject(value) && JSON.stringify(value).length <= MAX_MAP_LENGTH ? value : null;

function textMembers(value: unknown): Record<string, string> {
  const members = Object.entries(record(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(members);
}
