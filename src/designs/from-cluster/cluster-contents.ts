import { boundedParallel } from '../../core/bounded-parallel.js';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { countOf } from '../../core/errors/wording.js';
import type { JsonObject } from '../../core/json/json.js';
import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { isCustomResourceDefinition, type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import {
  findNamespacedKinds,
  isNamed,
  isSystemNamespace,
  listContents,
} from '../../kubernetes/clusters/namespace-contents.js';
import { isBuiltIn } from '../../validation/native/built-in-groups.js';
import { toAuthoredObject } from './authored-object.js';
import { findReasonToLeaveOut, isIncludable, type LeftOutReason } from './left-out.js';

/** What of a cluster becomes designs. */
export interface ClusterQuery {
  connectionId: string;
  namespaces: string[] | 'all';
  selector: string | undefined;
  /** Names of kinds, as kubectl takes them; undefined for all. */
  kinds: string[] | undefined;
  /** Whether what Argo CD, Flux or an operator manage is taken in as well. */
  includesOwned: boolean;
  isPreview: boolean;
}

/** What identifies an object; the namespace is null for what is in none. */
export interface ObjectIdentity {
  api_version: string;
  kind: string;
  namespace: string | null;
  name: string;
}

/** An object that becomes a part of a design. */
export interface FoundObject {
  identity: ObjectIdentity;
  /** As its authors want it. */
  resource: JsonObject;
  /** Of a Secret, unless only a preview is wanted: its values, which the resource has placeholders for. */
  values?: Record<string, string>;
  /** What manages it, where that is taken in as well. */
  managedBy: LeftOutReason | undefined;
}

/** Objects that become part of no design: without a name all of a kind that cannot be read. */
export type LeftOutObject = Omit<ObjectIdentity, 'name'> & { name: string | null } & LeftOutReason;

export interface FoundContents {
  /** By namespace. */
  objects: Map<string, FoundObject[]>;
  leftOut: LeftOutObject[];
  warnings: Fault[];
}

const CONCURRENCY = 6;
/** Limits of one import: the objects that it takes in, all that it reads, and what of them stays in memory. */
const MAX_OBJECTS = 5_000;
const MAX_READ = 50_000;
const MAX_BYTES = 50_000_000;
/** The maximum number of objects that are being deleted to list. */
const MAX_TERMINATING = 100;

/** What to do about an import that is too large. */
export const NARROW = 'Import fewer namespaces at once, or narrow the import by selector or kinds.';

type ReadObject = FoundObject | LeftOutObject | { terminating: string };

/** Reads what authors have put into namespaces of a cluster; the same objects give the same result in whatever order they are listed. */
export class ClusterContents {
  private bytes = 0;
  private taken = 0;
  private kept = 0;
  private readonly warnings: Fault[] = [];

  constructor(
    private readonly client: ClusterClient,
    private readonly query: ClusterQuery,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws InvalidRequest naming namespaces, kinds or a selector that do not fit, ClusterError for a failure of the cluster */
  async read(): Promise<FoundContents> {
    const kinds = await this.chooseKinds();
    const places = await this.findPlaces();
    const tasks = places.flatMap((namespace) => kinds.namespaced.map((kind) => ({ kind, namespace })));
    const read = (await boundedParallel(tasks, CONCURRENCY, (task) => this.list(task.kind, task.namespace))).flat();
    const found = read.filter(isFound).sort(compareFound);
    this.warnOfTerminating(read.flatMap((one) => ('terminating' in one ? one.terminating : [])).sort());
    const unavailable = [...(await this.client.listUnavailable())].sort();
    for (const version of unavailable)
      this.warnings.push({ detail: `the API server of ${version} does not answer, so its objects are not known` });
    const definitions = await this.readDefinitions(found, kinds.definition);
    const all = [...found, ...definitions.filter(isFound)];
    if (all.length === 0) this.warnings.push({ detail: 'nothing was found that could become a design' });
    return {
      objects: groupByNamespace(all),
      leftOut: [...read, ...definitions].filter(isLeftOut).sort(compareIdentities),
      warnings: this.warnings,
    };
  }

  private warnOfTerminating(names: readonly string[]): void {
    for (const name of names.slice(0, MAX_TERMINATING))
      this.warnings.push({ detail: `${name} is being deleted and is left out` });
    const more = names.length - MAX_TERMINATING;
    if (more > 0) this.warnings.push({ detail: `${countOf(more, 'more object')} that are being deleted are left out` });
  }

  /** The kinds to read, and that of definitions if they are asked for. */
  private async chooseKinds(): Promise<{ namespaced: ResourceKind[]; definition?: ResourceKind }> {
    const all = await this.client.listKinds(0);
    const namespaced = findNamespacedKinds(all);
    const { kinds: names } = this.query;
    if (!names) return { namespaced };
    const definition = all.find((kind) => kind.preferred && isCustomResourceDefinition(kind));
    const known = definition ? [...namespaced, definition] : namespaced;
    const errors = names.flatMap((name, index) =>
      known.some((kind) => isNamed(kind, name))
        ? []
        : { pointer: `/kinds/${index}`, detail: `${name} is no kind in namespaces of the cluster` },
    );
    if (errors.length > 0) throw new InvalidRequest(errors.map(({ detail }) => detail).join('; '), { errors });
    const isWanted = (kind: ResourceKind): boolean => names.some((name) => isNamed(kind, name));
    return {
      namespaced: namespaced.filter(isWanted),
      ...(definition && isWanted(definition) && { definition }),
    };
  }

  /** The namespaces to list, or all at once as undefined. */
  private async findPlaces(): Promise<(string | undefined)[]> {
    const { namespaces } = this.query;
    if (namespaces === 'all') {
      this.warnings.push({
        detail:
          'the namespaces kube-system, kube-public and kube-node-lease are left out: the cluster runs itself there',
        remedy: 'Name them in namespaces to read them.',
      });
      return [undefined];
    }
    const kind = await this.client.findKind('v1', 'Namespace');
    const errors: Fault[] = [];
    for (const [index, name] of namespaces.entries())
      try {
        if (kind && !(await this.client.lookup(kind, name, undefined, this.signal)))
          errors.push({ pointer: `/namespaces/${index}`, detail: `the cluster has no namespace ${name}` });
      } catch (error) {
        if (!(error instanceof ClusterError) || error.kind !== 'forbidden') throw error;
        this.warnings.push({ detail: `whether the namespace ${name} exists is not known: ${error.message}` });
      }
    if (errors.length > 0)
      throw new InvalidRequest(errors.map(({ detail }) => detail).join('; '), {
        errors,
        remedy: 'Name namespaces of the cluster; kubectl get namespaces lists them.',
      });
    return [...namespaces];
  }

  private async list(kind: ResourceKind, namespace: string | undefined): Promise<ReadObject[]> {
    const query = { namespace, labelSelector: this.query.selector, signal: this.signal };
    try {
      const read = await listContents(this.client, kind, query, (object) => this.convert(object));
      return read.filter((one) => one !== undefined);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (error.kind === 'invalid' && this.query.selector !== undefined)
        throw InvalidRequest.forField('/selector', `is no label selector: ${error.message}`);
      if (error.kind !== 'forbidden' && error.kind !== 'unavailable' && error.kind !== 'notSupported') throw error;
      const { apiVersion: api_version, kind: name } = kind;
      const reason = `the cluster does not list ${kind.plural}: ${error.message}`;
      return [{ api_version, kind: name, namespace: namespace ?? null, name: null, code: 'NOT_READABLE', reason }];
    }
  }

  /** Only what is needed of an object stays in memory. */
  private convert(object: KubernetesObject): ReadObject | undefined {
    const identity = identityOf(object);
    if (this.query.namespaces === 'all' && isSystemNamespace(identity.namespace ?? '')) return undefined;
    const reason = findReasonToLeaveOut(object);
    if (reason && !(this.query.includesOwned && isIncludable(reason))) return this.keep({ ...identity, ...reason });
    if (object.metadata.deletionTimestamp) return this.keep({ terminating: describe(identity) });
    return this.take(object, reason);
  }

  private take(object: KubernetesObject, managedBy: LeftOutReason | undefined): FoundObject {
    this.taken += 1;
    const { kind, apiVersion, data } = object;
    const isSealed = kind === 'Secret' && apiVersion === 'v1' && !this.query.isPreview;
    const values = isSealed ? (data as Record<string, string> | undefined) : undefined;
    const resource = toAuthoredObject(object);
    return this.keep({ identity: identityOf(object), resource, managedBy, ...(values && { values }) });
  }

  /** Counts what stays in memory of an object. @throws InvalidRequest when it is too much */
  private keep<T extends ReadObject>(one: T): T {
    this.kept += 1;
    this.bytes += JSON.stringify(one).length;
    if (this.taken <= MAX_OBJECTS && this.kept <= MAX_READ && this.bytes <= MAX_BYTES) return one;
    throw InvalidRequest.forField(
      '/namespaces',
      `hold more than ${MAX_OBJECTS} objects to import, ${MAX_READ} in all, or ${MAX_BYTES / 1_000_000} MB of them`,
      NARROW,
    );
  }

  /** The definitions of the custom kinds that were found: of the first namespace that uses each, or left out. */
  private async readDefinitions(
    found: readonly FoundObject[],
    wanted: ResourceKind | undefined,
  ): Promise<ReadObject[]> {
    const users = new Map<string, FoundObject>();
    for (const one of found) {
      const { api_version, kind } = one.identity;
      const served = isBuiltIn(api_version) ? undefined : await this.client.findKind(api_version, kind);
      const name = served && `${served.plural}.${served.group}`;
      if (name !== undefined && !users.has(name)) users.set(name, one);
    }
    if (users.size === 0) return [];
    const definition = wanted ?? (await this.client.findKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition'));
    if (!definition) return [];
    const read = await boundedParallel([...users], CONCURRENCY, async ([name, { identity }]) => {
      const object = await this.client.lookup(definition, name, undefined, this.signal).catch(ignoreForbidden);
      if (!object) return undefined;
      if (!wanted) return this.keep({ ...identityOf(object), code: 'DEFINITION' as const, reason: OF_CLUSTER });
      const taken = this.take(object, undefined);
      return { ...taken, identity: { ...taken.identity, namespace: identity.namespace } };
    });
    return read.filter((one) => one !== undefined);
  }
}

const OF_CLUSTER =
  'it is a definition, which applies to the whole cluster; name CustomResourceDefinition in kinds to take it in';

const isFound = (one: ReadObject): one is FoundObject => 'resource' in one;

const isLeftOut = (one: ReadObject): one is LeftOutObject => 'code' in one;

function groupByNamespace(found: readonly FoundObject[]): Map<string, FoundObject[]> {
  const groups = new Map<string, FoundObject[]>();
  for (const one of found) {
    const namespace = one.identity.namespace ?? '';
    const group = groups.get(namespace);
    if (group) group.push(one);
    else groups.set(namespace, [one]);
  }
  return groups;
}

function ignoreForbidden(error: unknown): undefined {
  if (!(error instanceof ClusterError) || error.kind !== 'forbidden') throw error;
}

const identityOf = ({ apiVersion, kind, metadata }: KubernetesObject): ObjectIdentity => ({
  api_version: apiVersion,
  kind,
  namespace: metadata.namespace ?? null,
  name: metadata.name,
});

const describe = ({ kind, namespace, name }: ObjectIdentity): string =>
  `${kind} ${namespace === null ? '' : `${namespace}/`}${name}`;

const compareFound = (one: FoundObject, other: FoundObject): number => compareIdentities(one.identity, other.identity);

function compareIdentities(one: Omit<LeftOutObject, 'code' | 'reason'>, other: typeof one): number {
  for (const name of ['namespace', 'kind', 'api_version', 'name'] as const) {
    const [a, b] = [one[name] ?? '', other[name] ?? ''];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
