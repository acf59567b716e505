import { ClusterError } from './cluster-error.js';
import { type ClusterTransport } from './cluster-transport.js';
import { groupOf } from './kubernetes-object.js';

/** A kind that a cluster serves in one version. */
export interface ResourceKind {
  /** The `apiVersion` of its objects: `v1`, `apps/v1`. */
  apiVersion: string;
  group: string;
  version: string;
  kind: string;
  /** The name in paths, such as `deployments`. */
  plural: string;
  namespaced: boolean;
  verbs: string[];
  /** Names such as `status` and `scale`. */
  subresources: string[];
  /** Whether this is the cluster's preferred version that serves the kind. */
  preferred: boolean;
}

interface AggregatedGroup {
  metadata?: { name?: string };
  versions?: {
    version: string;
    freshness?: string;
    resources?: {
      resource: string;
      responseKind?: { group?: string; version?: string; kind: string };
      scope: 'Namespaced' | 'Cluster';
      verbs?: string[];
      subresources?: { subresource: string }[];
    }[];
  }[];
}

interface LegacyResource {
  name: string;
  kind: string;
  namespaced: boolean;
  verbs?: string[];
}

/** The maximum number of group versions to request separately, and of kinds per cluster. */
const MAX_VERSIONS = 1_000;
const MAX_KINDS = 20_000;

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** The result of one discovery request. */
interface Served {
  kinds: ResourceKind[];
  /** Group versions whose aggregated API server is unavailable: `metrics.k8s.io/v1beta1`. */
  unavailable: string[];
}

interface Known {
  kinds: Map<string, ResourceKind>;
  unavailable: ReadonlySet<string>;
}

/** The discovery of a cluster's API, cached until it is invalidated. */
export class Discovery {
  private reading?: Promise<Known>;
  private readAt = 0;

  constructor(private readonly transport: ClusterTransport) {}

  /** Lists every kind in every served version. Kinds of unavailable aggregated APIs are missing: see `listUnavailable`. A discovery older than `staleMs` is repeated. */
  async list(staleMs = Infinity): Promise<ResourceKind[]> {
    if (performance.now() - this.readAt >= staleMs) this.invalidate();
    return [...(await this.load()).kinds.values()];
  }

  /**
   * Lists the group versions whose aggregated API server is unavailable (the APIService is not available): their
   * kinds and objects are unknown.
   */
  async listUnavailable(): Promise<ReadonlySet<string>> {
    return (await this.load()).unavailable;
  }

  /** Finds a kind; undefined when the cluster does not serve it. Before undefined, a discovery older than `staleMs` is repeated. */
  async find(apiVersion: string, kind: string, staleMs = 5_000): Promise<ResourceKind | undefined> {
    const found = (await this.load()).kinds.get(`${apiVersion} ${kind}`);
    if (found || performance.now() - this.readAt < staleMs) return found;
    this.invalidate();
    return (await this.load()).kinds.get(`${apiVersion} ${kind}`);
  }

  /** Reports whether a group version is unavailable. Before false, a discovery older than `staleMs` is repeated. */
  async isUnavailable(apiVersion: string, staleMs = Infinity): Promise<boolean> {
    const { unavailable } = await this.load();
    if (unavailable.has(apiVersion) || performance.now() - this.readAt < staleMs) return unavailable.has(apiVersion);
    this.invalidate();
    return (await this.load()).unavailable.has(apiVersion);
  }

  /** Clears the cache, after a CustomResourceDefinition was added, changed or removed. */
  invalidate(): void {
    this.reading = undefined;
  }

  /** Removes a kind that the cluster turned out not to serve any more, until the discovery is repeated. */
  async forget({ apiVersion, kind }: ResourceKind): Promise<void> {
    const known = await this.reading?.catch(() => undefined);
    known?.kinds.delete(`${apiVersion} ${kind}`);
  }

  private load(): Promise<Known> {
    if (this.reading) return this.reading;
    const reading = this.read();
    this.reading = reading;
    reading.catch(() => {
      if (this.reading === reading) this.reading = undefined;
    });
    return reading;
  }

  private async read(): Promise<Known> {
    const found = await Promise.all([this.readRoot('/api'), this.readRoot('/apis')]).catch((error: unknown) => {
      // A response whose structure differs from the declared one.
      if (error instanceof TypeError)
        throw new ClusterError(
          'protocol',
          'The discovery response of the cluster is not that of a Kubernetes API server',
        );
      throw error;
    });
    const kinds = found.flatMap((one) => one.kinds);
    if (kinds.length > MAX_KINDS) throw new ClusterError('tooLarge', `The cluster serves more than ${MAX_KINDS} kinds`);
    this.readAt = performance.now();
    return {
      kinds: new Map(kinds.map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind])),
      unavailable: new Set(found.flatMap((one) => one.unavailable)),
    };
  }

  private async readRoot(path: string): Promise<Served> {
    const body = (await this.transport.request({ path, accept: AGGREGATED })).body as { kind?: string };
    if (body.kind === 'APIGroupDiscoveryList') {
      const { items = [] } = body as { items?: AggregatedGroup[] };
      return { kinds: items.flatMap(fromAggregated), unavailable: items.flatMap(findStale) };
    }
    if (body.kind === 'APIVersions')
      return this.readVersions('', (body as { versions: string[] }).versions.slice(0, MAX_VERSIONS));
    if (body.kind !== 'APIGroupList')
      throw new ClusterError('protocol', `The response to ${path} is not that of a Kubernetes API server`);
    const { groups } = body as {
      groups: { name: string; versions: { version: string }[]; preferredVersion?: { version: string } }[];
    };
    if (groups.flatMap(({ versions }) => versions).length > MAX_VERSIONS)
      throw new ClusterError('tooLarge', `The cluster serves more than ${MAX_VERSIONS} versions of groups`);
    const found: Served = { kinds: [], unavailable: [] };
    for (const group of groups) {
      const others = group.versions
        .map(({ version }) => version)
        .filter((one) => one !== group.preferredVersion?.version);
      const { kinds, unavailable } = await this.readVersions(group.name, [
        ...(group.preferredVersion ? [group.preferredVersion.version] : []),
        ...others,
      ]);
      found.kinds.push(...kinds);
      found.unavailable.push(...unavailable);
    }
    return found;
  }

  /** Clusters before 1.26 have a discovery document per version. */
  private async readVersions(group: string, versions: string[]): Promise<Served> {
    const lists = await Promise.all(
      versions.map(async (version) => {
        try {
          const { body } = await this.transport.request({
            path: group ? `/apis/${group}/${version}` : `/api/${version}`,
          });
          const { resources = [] } = body as { resources?: LegacyResource[] };
          return { version, resources, isUnavailable: false };
        } catch (error) {
          if (error instanceof ClusterError && error.answered)
            return { version, resources: [], isUnavailable: error.kind !== 'notFound' };
          throw error;
        }
      }),
    );
    return {
      kinds: markPreferred(lists.flatMap(({ version, resources }) => fromLegacy(group, version, resources))),
      unavailable: lists
        .filter(({ isUnavailable }) => isUnavailable)
        .map(({ version }) => groupVersion(group, version).apiVersion),
    };
  }
}

function fromAggregated(item: AggregatedGroup): ResourceKind[] {
  const group = item.metadata?.name ?? '';
  return markPreferred(
    (item.versions ?? []).flatMap(({ version, resources }) =>
      (resources ?? []).flatMap((resource) =>
        resource.responseKind?.kind
          ? {
              ...groupVersion(group, version),
              kind: resource.responseKind.kind,
              plural: resource.resource,
              namespaced: resource.scope === 'Namespaced',
              verbs: resource.verbs ?? [],
              subresources: (resource.subresources ?? []).map((one) => one.subresource),
            }
          : [],
      ),
    ),
  );
}

/** A stale group version may be described from the time when its server was available; a direct request shows whether it is now. */
const findStale = ({ metadata, versions = [] }: AggregatedGroup): string[] =>
  versions
    .filter(({ freshness, resources = [] }) => freshness === 'Stale' && resources.length === 0)
    .map(({ version }) => groupVersion(metadata?.name ?? '', version).apiVersion);

function fromLegacy(group: string, version: string, resources: LegacyResource[]) {
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs }) => ({
      ...groupVersion(group, version),
      kind,
      plural: name,
      namespaced,
      verbs: verbs ?? [],
      subresources: resources
        .filter((one) => one.name.startsWith(`${name}/`))
        .map((one) => one.name.slice(name.length + 1)),
    }));
}

function groupVersion(group: string, version: string) {
  return { apiVersion: group ? `${group}/${version}` : version, group, version };
}

/** Versions are in the cluster's order of preference, so the first that serves a kind is its preferred one. */
function markPreferred(kinds: Omit<ResourceKind, 'preferred'>[]): ResourceKind[] {
  const seen = new Set<string>();
  return kinds.map((kind) => {
    const preferred = !seen.has(kind.kind);
    seen.add(kind.kind);
    return { ...kind, preferred };
  });
}

/** Reports whether two kinds have the same group and kind, whatever the version. */
export function isSameKind(a: { apiVersion: string; kind: string }, b: { apiVersion: string; kind: string }): boolean {
  return a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion);
}
