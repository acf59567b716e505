import { isObject } from '../../core/json/json.js';
import { type Outbound } from '../../core/outbound/outbound.service.js';
import { type TaskRunner } from '../../core/workers/task.js';
import { type ApiDescription, readApiDocuments } from './api-description.js';
import { type ClusterAccess } from './cluster-access.js';
import { ClusterError } from './cluster-error.js';
import { type ClusterLimits, ClusterTransport, type ClusterHooks } from './cluster-transport.js';
import { Discovery, type ResourceKind } from './discovery.js';
import { type KubernetesObject, type ObjectMetadata } from './kubernetes-object.js';
import { type ListOptions, listPages } from './list-pages.js';
import { type ListedPage, toObject, toWatchEvent, type WatchEvent } from './object-answers.js';
import { objectPath } from './object-path.js';

export interface ClusterVersion {
  major: string;
  minor: string;
  /** Such as `v1.36.3`. */
  gitVersion: string;
  platform?: string;
}

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

/** How long one request of a watch lasts, up to twice as long: not all of them end at once. */
const WATCH_SECONDS = 240;
/** A bookmark comes about once a minute: a watch that is silent for longer has lost its connection. */
const WATCH_IDLE_MS = 150_000;

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

  /**
   * Whether the cluster has this version of a group, and the server of it does not answer, so that nothing of it can be known.
   * A no is asked again when the answer kept is older than `staleMs`.
   */
  isUnavailable(apiVersion: string, staleMs?: number): Promise<boolean> {
    return this.discovery.isUnavailable(apiVersion, staleMs);
  }

  /** All of these. */
  listUnavailable(): Promise<ReadonlySet<string>> {
    return this.discovery.listUnavailable();
  }

  /** The kind, or undefined when the cluster does not serve it. A miss is asked again when the answer kept is older than `staleMs`. */
  findKind(apiVersion: string, kind: string, staleMs?: number): Promise<ResourceKind | undefined> {
    return this.discovery.find(apiVersion, kind, staleMs);
  }

  /** Invalidates the discovered kinds, after a definition was added, changed or removed. */
  invalidateKinds(): void {
    this.discovery.invalidate();
  }

  async get(kind: ResourceKind, name: string, namespace?: string, signal?: AbortSignal): Promise<KubernetesObject> {
    const path = objectPath(kind, namespace, name);
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
    return listPages<KubernetesObject>(this.transport, kind, { pageSize: 100, ...options });
  }

  /**
   * What changes of a kind from a version on, until the cluster ends it, which it does every few minutes: go on from the
   * version of the last event then.
   * @throws ClusterError `expired` when the cluster no longer knows the version: list again
   */
  async *watch(
    kind: ResourceKind,
    resourceVersion: string,
    { namespace, signal }: { namespace?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<WatchEvent> {
    const seconds = Math.round(WATCH_SECONDS * (1 + Math.random()));
    const lines = this.transport.streamLines({
      path: objectPath(kind, namespace),
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
    for await (const { items } of listPages<ObjectMetadata>(
      this.transport,
      kind,
      { pageSize: 500, ...options },
      METADATA_LIST,
    )) {
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
      path: objectPath(kind, wanted.metadata.namespace, wanted.metadata.name),
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
      path: objectPath(kind, wanted.metadata.namespace),
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
      path: objectPath(kind, namespace, name),
      query: writeQuery(options),
      contentType: patch.type === 'merge' ? 'application/merge-patch+json' : 'application/json-patch+json',
      body: patch.body,
      maxBytes: OBJECT_MAX_BYTES,
      signal: options.signal,
    });
    return { object: toObject(answer), warnings: answer.warnings };
  }

  /**
   * Asks for the deletion; the object may live on until its finalizers are done.
   * @returns whether the cluster says that it is gone; without that it has to be asked
   */
  async delete(
    kind: ResourceKind,
    name: string,
    namespace: string | undefined,
    options: DeleteOptions = {},
  ): Promise<{ isGone: boolean }> {
    const preconditions = { uid: options.uid, resourceVersion: options.resourceVersion };
    const { body } = await this.transport.request({
      method: 'DELETE',
      path: objectPath(kind, namespace, name),
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: options.propagation,
        preconditions,
        ...(options.dryRun && { dryRun: ['All'] }),
      },
      signal: options.signal,
    });
    // An object that lives on is answered itself, and so are some kinds that do not.
    return { isGone: isObject(body) && body['kind'] === 'Status' && !options.dryRun };
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

  /** The OpenAPI v3 documents of all groups and versions of the server, and its definitions of kinds, as JSON. */
  async describe(signal?: AbortSignal): Promise<ApiDescription> {
    const { gitVersion } = await this.version(signal);
    const kind = await this.findKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    return { gitVersion, ...(await readApiDocuments(this.transport, kind, signal)) };
  }

  /** Ends all connections, running requests too. */
  close(): Promise<void> {
    return this.transport.close();
  }
}

function writeQuery({ dryRun, fieldManager }: WriteOptions) {
  return { fieldManager, fieldValidation: 'Warn', dryRun: dryRun ? 'All' : undefined };
}
