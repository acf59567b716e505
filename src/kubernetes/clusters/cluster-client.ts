import { stringifyExact } from '../../core/json/large-integers.js';
import { type Outbound } from '../../core/outbound/outbound.service.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type TaskRunner } from '../../core/workers/task.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { type ClusterAccess } from './cluster-access.js';
import { ClusterError } from './cluster-error.js';
import { type ClusterLimits, ClusterTransport, type ClusterHooks } from './cluster-transport.js';
import { Discovery, type ResourceKind } from './discovery.js';
import { type KubernetesObject, type ObjectMetadata } from './kubernetes-object.js';

export interface ClusterVersion {
  major: string;
  minor: string;
  /** Such as `v1.36.3`. */
  gitVersion: string;
  platform?: string;
}

/** Files of JSON, by the path that the API server gives them. */
export interface ApiDescription {
  gitVersion: string;
  documents: SourceFile[];
  definitions: SourceFile[];
}

export interface ListOptions {
  /** All namespaces without it. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects asked for at a time; 100 without it, 500 of metadata. Less when an answer is too large. */
  pageSize?: number;
  signal?: AbortSignal;
}

/** One page of a list; the version is that of the whole list, from which a watch goes on. */
export interface ListedPage<T> {
  items: T[];
  resourceVersion: string;
}

/** What a watch tells: a change of an object, or how far it is without one. */
export type WatchEvent =
  { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubernetesObject } | { type: 'BOOKMARK'; resourceVersion: string };

export interface WriteOptions {
  /** Nothing is kept: the answer is the object as it would be. */
  dryRun?: boolean;
  fieldManager?: string;
  signal?: AbortSignal;
}

export interface DeleteOptions {
  propagation?: 'Foreground' | 'Background' | 'Orphan';
  /** The object is deleted only while it still has these. */
  uid?: string;
  resourceVersion?: string;
  dryRun?: boolean;
  signal?: AbortSignal;
}

export interface WriteResult {
  object: KubernetesObject;
  warnings: string[];
}

/** An RFC 7386 merge patch, or an RFC 6902 list of operations. */
export type Patch = { type: 'merge'; body: Record<string, unknown> } | { type: 'json'; body: object[] };

/** Bytes of one object: an API server takes none of more than 3 MiB. */
const OBJECT_MAX_BYTES = 4 * 1024 * 1024;

/** Of one list, whatever its pages. */
const MAX_LISTED = 50_000;
const MAX_PAGES = 600;
const LIST_TIMEOUT_MS = 180_000;

/** How long one request of a watch lasts, up to twice as long: not all of them end at once. */
const WATCH_SECONDS = 240;
/** A bookmark comes about once a minute: a watch that is silent for longer has lost its connection. */
const WATCH_IDLE_MS = 150_000;

/** Groups of an API server that are described. */
const MAX_GROUPS = 1_000;

const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/**
 * The Kubernetes REST API as far as this server uses it. Objects come and go whole, with all fields, known here or not.
 * Every method throws ClusterError, and InvalidRequest `OUTBOUND_REFUSED` when the address may not be called.
 */
export class ClusterClient {
  /** Namespace of the kubeconfig's context. */
  readonly namespace?: string;
  private readonly transport: ClusterTransport;
  private readonly discovery: Discovery;

  /** @param tasks where large answers are taken apart */
  constructor(
    access: ClusterAccess,
    outbound: Outbound,
    tasks: TaskRunner,
    limits?: Partial<ClusterLimits>,
    hooks?: ClusterHooks,
  ) {
    this.namespace = access.namespace;
    this.transport = new ClusterTransport(access, outbound, tasks, limits, hooks);
    this.discovery = new Discovery(this.transport);
  }

  async version(signal?: AbortSignal): Promise<ClusterVersion> {
    const { body } = await this.transport.request({ path: '/version', timeoutMs: 10_000, maxBytes: 64 * 1024, signal });
    if (typeof (body as Partial<ClusterVersion> | undefined)?.gitVersion === 'string') return body as ClusterVersion;
    throw new ClusterError('protocol', 'The address answers, but not as a Kubernetes API server');
  }

  /** The version, once it is sure that the cluster knows the credential: `/version` alone is open to everybody. */
  async ping(signal?: AbortSignal): Promise<ClusterVersion> {
    const version = await this.version(signal);
    await this.transport.requestBytes({ path: '/apis', timeoutMs: 10_000, signal });
    return version;
  }

  /** Every kind in every version that the cluster serves. */
  listKinds(): Promise<ResourceKind[]> {
    return this.discovery.list();
  }

  /** The kind, or undefined when the cluster does not serve it. A miss is asked again when the answer kept is older than `staleMs`. */
  findKind(apiVersion: string, kind: string, staleMs?: number): Promise<ResourceKind | undefined> {
    return this.discovery.find(apiVersion, kind, staleMs);
  }

  /** Forgets the kinds: after a definition was added, changed or removed. */
  invalidateKinds(): void {
    this.discovery.invalidate();
  }

  async get(kind: ResourceKind, name: string, namespace?: string, signal?: AbortSignal): Promise<KubernetesObject> {
    const path = pathOf(kind, namespace, name);
    return toObject(await this.transport.request({ path, maxBytes: OBJECT_MAX_BYTES, signal }));
  }

  /** The object, or undefined when there is none of that name. */
  async lookup(
    kind: ResourceKind,
    name: string,
    namespace?: string,
    signal?: AbortSignal,
  ): Promise<KubernetesObject | undefined> {
    try {
      return await this.get(kind, name, namespace, signal);
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'notFound') return undefined;
      throw error;
    }
  }

  /** All objects of a kind, page by page; a list that expires between two pages is read from its start again by the caller. */
  async *listPages(kind: ResourceKind, options: ListOptions = {}): AsyncGenerator<KubernetesObject[]> {
    for await (const { items } of this.listVersionedPages(kind, options)) yield items;
  }

  /** As `listPages`, with the version from which a watch of the kind goes on. */
  listVersionedPages(kind: ResourceKind, options: ListOptions = {}): AsyncGenerator<ListedPage<KubernetesObject>> {
    return this.walkPages<KubernetesObject>(kind, { pageSize: 100, ...options });
  }

  /**
   * What changes of a kind from a version on, until the cluster ends it, which it does every few minutes: go on from the
   * version of the last event then.
   * @throws ClusterError `expired` when the cluster no longer knows the version: list again
   */
  async *watch(kind: ResourceKind, resourceVersion: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    const seconds = Math.round(WATCH_SECONDS * (1 + Math.random()));
    const lines = this.transport.streamLines({
      path: pathOf(kind),
      query: { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds: seconds },
      timeoutMs: (seconds + 30) * 1_000,
      idleTimeoutMs: WATCH_IDLE_MS,
      maxBytes: OBJECT_MAX_BYTES,
      signal,
    });
    for await (const line of lines) yield toWatchEvent(await this.transport.parse(line), kind);
  }

  async list(kind: ResourceKind, options: ListOptions = {}): Promise<KubernetesObject[]> {
    const found: KubernetesObject[] = [];
    for await (const page of this.listPages(kind, options)) found.push(...page);
    return found;
  }

  /** As `list`, without the objects' contents, which is all that finding and counting them needs. */
  async listMetadata(kind: ResourceKind, options: ListOptions = {}): Promise<ObjectMetadata[]> {
    const found: ObjectMetadata[] = [];
    for await (const { items } of this.walkPages<ObjectMetadata>(kind, { pageSize: 500, ...options }, METADATA_LIST)) {
      found.push(...items);
    }
    return found;
  }

  /**
   * Server-side apply: the object holds every field that the manager wants, and no others.
   * A field of another manager is a `conflict` unless `force`.
   */
  async apply(
    kind: ResourceKind,
    wanted: KubernetesObject,
    options: WriteOptions & { fieldManager: string; force?: boolean },
  ): Promise<WriteResult> {
    const answer = await this.transport.request({
      method: 'PATCH',
      path: pathOf(kind, wanted.metadata.namespace, wanted.metadata.name),
      query: { ...writeQuery(options), force: options.force ?? false },
      contentType: 'application/apply-patch+yaml',
      body: wanted,
      maxBytes: OBJECT_MAX_BYTES,
      signal: options.signal,
    });
    return { object: toObject(answer), warnings: answer.warnings };
  }

  async create(kind: ResourceKind, wanted: KubernetesObject, options: WriteOptions = {}): Promise<WriteResult> {
    const answer = await this.transport.request({
      method: 'POST',
      path: pathOf(kind, wanted.metadata.namespace),
      query: writeQuery(options),
      body: wanted,
      maxBytes: OBJECT_MAX_BYTES,
      signal: options.signal,
    });
    return { object: toObject(answer), warnings: answer.warnings };
  }

  async patch(
    kind: ResourceKind,
    name: string,
    namespace: string | undefined,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    const answer = await this.transport.request({
      method: 'PATCH',
      path: pathOf(kind, namespace, name),
      query: writeQuery(options),
      contentType: patch.type === 'merge' ? 'application/merge-patch+json' : 'application/json-patch+json',
      body: patch.body,
      maxBytes: OBJECT_MAX_BYTES,
      signal: options.signal,
    });
    return { object: toObject(answer), warnings: answer.warnings };
  }

  /** Asks for the deletion; the object may live on until its finalizers are done. */
  async delete(
    kind: ResourceKind,
    name: string,
    namespace: string | undefined,
    options: DeleteOptions = {},
  ): Promise<void> {
    const preconditions = { uid: options.uid, resourceVersion: options.resourceVersion };
    await this.transport.request({
      method: 'DELETE',
      path: pathOf(kind, namespace, name),
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: options.propagation,
        preconditions,
        ...(options.dryRun && { dryRun: ['All'] }),
      },
      signal: options.signal,
    });
  }

  /** Asks a question that the cluster keeps nothing of, such as a SelfSubjectRulesReview; its status is the answer. */
  async review(group: string, kind: string, spec: object, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const { body } = await this.transport.request({
      method: 'POST',
      path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
      body: { apiVersion: `${group}/v1`, kind, spec },
      maxBytes: OBJECT_MAX_BYTES,
      signal,
    });
    const { status } = (body ?? {}) as { status?: unknown };
    if (typeof status === 'object' && status !== null && !Array.isArray(status)) return { ...status };
    throw new ClusterError('protocol', `The cluster did not answer a ${kind}`);
  }

  /** The OpenAPI v3 document of one group version, with all schemas of its kinds. */
  async openapi(apiVersion: string, signal?: AbortSignal): Promise<unknown> {
    const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
    return (await this.transport.request({ path: `/openapi/v3/${path}`, signal })).body;
  }

  /** What the server says of itself: the OpenAPI v3 documents of all its groups and versions, and its definitions of kinds, as JSON. */
  async describe(signal?: AbortSignal): Promise<ApiDescription> {
    const { gitVersion } = await this.version(signal);
    const index = (await this.transport.request({ path: '/openapi/v3', signal })).body as
      { paths?: object } | undefined;
    const groups = Object.keys(index?.paths ?? {}).filter((path) => /^apis?\/(?:[^/]+\/)?v[^/]+$/.test(path));
    const documents = [];
    for (const path of groups.sort().slice(0, MAX_GROUPS))
      documents.push({ path, bytes: await this.transport.requestBytes({ path: `/openapi/v3/${path}`, signal }) });
    const definitions = [];
    const kind = await this.findKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    const turns = new TimeSlicer();
    for await (const page of kind ? this.listPages(kind, { pageSize: 20, signal }) : [])
      for (const definition of page) {
        definitions.push(toSourceFile(definition.metadata.name, definition));
        await turns.yieldToEventLoop();
      }
    return { gitVersion, documents, definitions };
  }

  /** Ends all connections, running requests too. */
  close(): Promise<void> {
    return this.transport.close();
  }

  private async *walkPages<T extends ObjectMetadata>(
    kind: ResourceKind,
    options: ListOptions,
    accept?: string,
  ): AsyncGenerator<ListedPage<T>> {
    let [next, pageSize, listed] = [undefined as string | undefined, options.pageSize ?? 100, 0];
    const end = Date.now() + LIST_TIMEOUT_MS;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      if (Date.now() > end) throw new ClusterError('timeout', `The cluster did not list all ${kind.plural} in time`);
      const query = {
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        limit: pageSize,
        continue: next,
      };
      const { signal } = options;
      const request = {
        path: pathOf(kind, options.namespace),
        query,
        accept,
        metadataOnly: accept !== undefined,
        signal,
      };
      const answer = await this.transport.request(request).catch((error: unknown) => {
        if (error instanceof ClusterError && error.kind === 'tooLarge' && pageSize > 1) return undefined;
        throw error;
      });
      if (!answer) {
        pageSize = Math.ceil(pageSize / 10);
        continue;
      }
      const { items, more, resourceVersion } = toPage<T>(answer, kind);
      listed += items.length;
      if (listed > MAX_LISTED)
        throw new ClusterError('tooLarge', `The cluster lists more than ${MAX_LISTED} ${kind.plural}`);
      yield { items, resourceVersion };
      if (!more) return;
      next = more;
    }
    throw new ClusterError('tooLarge', `The cluster lists ${kind.plural} on more than ${MAX_PAGES} pages`);
  }
}

/** Items of a list do not say what they are: the list does. */
function toPage<T extends ObjectMetadata>(
  { body }: { body: unknown },
  kind: ResourceKind,
): ListedPage<T> & { more: string } {
  const { items, metadata } = (body ?? {}) as {
    items?: T[] | null;
    metadata?: { continue?: unknown; resourceVersion?: unknown } | null;
  };
  if (!Array.isArray(items ?? []) || !(items ?? []).every(isObject))
    throw new ClusterError('protocol', `The cluster answered something that is not a list of ${kind.plural}`);
  const more = typeof metadata?.continue === 'string' ? metadata.continue : '';
  const resourceVersion = typeof metadata?.resourceVersion === 'string' ? metadata.resourceVersion : '';
  const named = (items ?? []).map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }));
  return { items: named, more, resourceVersion };
}

function toWatchEvent(body: unknown, kind: ResourceKind): WatchEvent {
  const { type, object } = (body ?? {}) as { type?: unknown; object?: { code?: unknown } | null };
  if (type === 'ERROR')
    throw ClusterError.fromResponse(Number(object?.code) || 500, object, `a watch of ${kind.plural}`);
  const { resourceVersion } = (object as Partial<KubernetesObject> | null)?.metadata ?? {};
  if (type === 'BOOKMARK' && typeof resourceVersion === 'string') return { type, resourceVersion };
  if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isObject(object))
    return { type, object: { ...(object as KubernetesObject), apiVersion: kind.apiVersion, kind: kind.kind } };
  throw new ClusterError('protocol', `The cluster answered a watch of ${kind.plural} with something that is no event`);
}

function writeQuery({ dryRun, fieldManager }: WriteOptions) {
  return { fieldManager, fieldValidation: 'Warn', dryRun: dryRun ? 'All' : undefined };
}

/** A name is one segment of the path; what would be read as more than that is no name of any object. */
function pathOf(kind: ResourceKind, namespace?: string, name?: string): string {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const inside = kind.namespaced && namespace !== undefined ? `/namespaces/${pathSegment(namespace, 'namespace')}` : '';
  return `${root}${inside}/${kind.plural}${name === undefined ? '' : `/${pathSegment(name, 'name')}`}`;
}

function pathSegment(text: string, what: string): string {
  if (text !== '' && text !== '.' && text !== '..' && !/[/%]/.test(text)) return encodeURIComponent(text);
  throw new ClusterError('invalid', `"${text}" cannot be the ${what} of an object`, { reason: 'Invalid' });
}

function toObject({ body }: { body: unknown }): KubernetesObject {
  if (isObject(body)) return body as KubernetesObject;
  throw new ClusterError('protocol', 'The cluster answered something that is not an object of its API');
}

/** Whether the parts of an object's metadata that are read without looking are what they should be. */
function isObject(value: unknown): boolean {
  const { metadata } = (value ?? {}) as { metadata?: Record<string, unknown> | null };
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { name, labels, managedFields, finalizers, ownerReferences } = metadata;
  const areLists = [managedFields, finalizers, ownerReferences].every((list) => Array.isArray(list ?? []));
  return typeof name === 'string' && typeof (labels ?? {}) === 'object' && areLists;
}

const toSourceFile = (path: string, body: unknown): SourceFile => ({ path, bytes: Buffer.from(stringifyExact(body)) });
