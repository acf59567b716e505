import { isObject } from '../../core/json/json.js';
import { type Outbound } from '../../core/outbound/outbound.service.js';
import type { Task, TaskRunner } from '../../core/workers/task.js';
import { type ApiDescription, readApiDocuments } from './api-description.js';
import { type ClusterAccess } from './cluster-access.js';
import { ClusterError } from './cluster-error.js';
import type { ClusterRequest, ClusterResponse } from './cluster-request.js';
import { type ClusterLimits, ClusterTransport, type ClusterHooks } from './cluster-transport.js';
import { Discovery, type ResourceKind } from './discovery.js';
import { type KubernetesObject, type ObjectMetadata } from './kubernetes-object.js';
import { type ListOptions, listPages } from './list-pages.js';
import { type ListedPage, toObject, toPage, toWatchEvent, type WatchEvent } from './object-answers.js';
import { objectPath } from './object-path.js';
import { type PageInput, readPage, type ReadPage } from './read-page.js';

export interface ClusterVersion {
  major: string;
  minor: string;
  /** For example `v1.36.3`. */
  gitVersion: string;
  platform?: string;
}

export interface WriteOptions {
  /** Server-side dry run: returns the resulting object without storing it. */
  dryRun?: boolean;
  fieldManager?: string;
  signal?: AbortSignal;
}

export interface DeleteOptions {
  propagation?: 'Foreground' | 'Background' | 'Orphan';
  /** Preconditions: the object is deleted only with this uid and resource version. */
  uid?: string;
  resourceVersion?: string;
  dryRun?: boolean;
  signal?: AbortSignal;
}

/** What of the log of a container is read. */
export interface LogOptions {
  container: string;
  /** The log of the container before it was restarted. */
  previous?: boolean;
  sinceSeconds?: number;
  sinceTime?: string;
  tailLines?: number;
  signal?: AbortSignal;
}

export interface WriteResult {
  object: KubernetesObject;
  warnings: string[];
  /** Whether the request created the object. */
  isCreated: boolean;
}

/** An RFC 7386 merge patch, or an RFC 6902 JSON patch. */
export type Patch = { type: 'merge'; body: Record<string, unknown> } | { type: 'json'; body: object[] };

/** The maximum size of an object; API servers accept at most 3 MiB. */
const OBJECT_MAX_BYTES = 4 * 1024 * 1024;

/** How long the lines of a log are followed. */
const MAX_FOLLOW_MS = 3_600_000;
/** Longer lines of a log that is followed come in pieces. */
const MAX_LOG_LINE_BYTES = 16 * 1024;

/** The minimum timeout of a watch request; a random part of up to the same again is added, so that watches do not end at once. */
const WATCH_SECONDS = 240;
/** API servers send a bookmark about once a minute, so a watch without any event for this long has lost its connection. */
const WATCH_IDLE_MS = 150_000;

const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/**
 * A client of the Kubernetes API. Objects keep all fields, including unknown ones. All methods throw ClusterError,
 * and InvalidRequest `OUTBOUND_REFUSED` when the address is not allowed.
 */
export class ClusterClient {
  /** The namespace of the kubeconfig's context. */
  readonly namespace?: string;
  private readonly transport: ClusterTransport;
  private readonly discovery: Discovery;

  /** @param tasks runs the parsing of large responses */
  constructor(
    access: ClusterAccess,
    outbound: Outbound,
    private readonly tasks: TaskRunner,
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
    throw new ClusterError('protocol', 'The address responds, but not as a Kubernetes API server');
  }

  /** Returns the version after an authenticated request succeeded; `/version` alone is public. */
  async ping(signal?: AbortSignal): Promise<ClusterVersion> {
    const version = await this.version(signal);
    await this.transport.requestBytes({ path: '/apis', timeoutMs: 10_000, signal });
    return version;
  }

  /** Lists every kind in every served version. A discovery older than `staleMs` is repeated. */
  listKinds(staleMs?: number): Promise<ResourceKind[]> {
    return this.discovery.list(staleMs);
  }

  /**
   * Reports whether the cluster has this group version but its aggregated API server is unavailable, so that its
   * kinds and objects are unknown. Before false, a discovery older than `staleMs` is repeated.
   */
  isUnavailable(apiVersion: string, staleMs?: number): Promise<boolean> {
    return this.discovery.isUnavailable(apiVersion, staleMs);
  }

  /** Lists all unavailable group versions. */
  listUnavailable(): Promise<ReadonlySet<string>> {
    return this.discovery.listUnavailable();
  }

  /**
   * Finds a served kind; undefined when the cluster does not serve it. Before undefined, a discovery older than
   * `staleMs` is repeated.
   */
  findKind(apiVersion: string, kind: string, staleMs?: number): Promise<ResourceKind | undefined> {
    return this.discovery.find(apiVersion, kind, staleMs);
  }

  /** Invalidates the discovery cache, after a CustomResourceDefinition was added, changed or removed. */
  invalidateKinds(): void {
    this.discovery.invalidate();
  }

  /** Removes a kind from the discovery cache that turned out not to be served any more. */
  forgetKind(kind: ResourceKind): Promise<void> {
    return this.discovery.forget(kind);
  }

  async get(kind: ResourceKind, name: string, namespace?: string, signal?: AbortSignal): Promise<KubernetesObject> {
    const path = objectPath(kind, namespace, name);
    return toObject(await this.requestOf(kind, { path, maxBytes: OBJECT_MAX_BYTES, signal }));
  }

  /** Returns the object, or undefined when it does not exist. */
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

  /** Lists all objects of a kind in pages; the caller restarts when the continue token expires. */
  async *listPages(kind: ResourceKind, options: ListOptions = {}): AsyncGenerator<KubernetesObject[]> {
    for await (const { items } of this.listVersionedPages(kind, options)) yield items;
  }

  /** Like `listPages`, with the resource version from which to start a watch. */
  listVersionedPages(kind: ResourceKind, options: ListOptions = {}): AsyncGenerator<ListedPage<KubernetesObject>> {
    return listPages(kind, options, async (request) =>
      toPage<KubernetesObject>((await this.requestOf(kind, request)).body, kind),
    );
  }

  /** Like `listVersionedPages`, with what a task makes of the objects, so that only that reaches the event loop. */
  listReadPages<T>(
    kind: ResourceKind,
    options: ListOptions,
    read: Task<PageInput, ReadPage<T>>,
  ): AsyncGenerator<ListedPage<T>> {
    return listPages(kind, options, async (request) => {
      const bytes = await this.forgettingUnserved(kind, this.transport.requestBytes(request));
      return readPage({ bytes, kind }, read, this.tasks);
    });
  }

  /**
   * Watches a kind from a resource version until the server ends the request, which it does every few minutes; the
   * caller continues from the resource version of the last event.
   * @throws ClusterError `expired` when the resource version is too old: list again
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

  /** The first bytes of the log of a container. */
  readLog(
    kind: ResourceKind,
    { name, namespace }: { name: string; namespace?: string },
    { signal, ...query }: LogOptions,
    maxBytes: number,
  ): Promise<Uint8Array> {
    return this.transport.requestBytes({
      path: `${objectPath(kind, namespace, name)}/log`,
      query: { ...query, limitBytes: maxBytes },
      accept: '*/*',
      signal,
    });
  }

  /** The lines of the log of a container as they come, each after its time and a space, for at most an hour; once the node responds. */
  followLog(
    kind: ResourceKind,
    { name, namespace }: { name: string; namespace?: string },
    { signal, ...query }: LogOptions,
  ): Promise<AsyncGenerator<Uint8Array>> {
    const request = {
      path: `${objectPath(kind, namespace, name)}/log`,
      query: { ...query, follow: true, timestamps: true },
      accept: '*/*',
      timeoutMs: MAX_FOLLOW_MS,
      idleTimeoutMs: MAX_FOLLOW_MS,
      maxBytes: MAX_LOG_LINE_BYTES,
      signal,
    };
    return this.transport.openLines(request, true);
  }

  async list(kind: ResourceKind, options: ListOptions = {}): Promise<KubernetesObject[]> {
    const found: KubernetesObject[] = [];
    for await (const page of this.listPages(kind, options)) found.push(...page);
    return found;
  }

  /** Lists only the metadata of objects, which suffices to find and count them. */
  async listMetadata(kind: ResourceKind, options: ListOptions = {}): Promise<ObjectMetadata[]> {
    const found: ObjectMetadata[] = [];
    const pages = listPages(kind, { pageSize: 500, ...options }, async (request) => {
      const { body } = await this.requestOf(kind, { ...request, accept: METADATA_LIST, metadataOnly: true });
      return toPage<ObjectMetadata>(body, kind);
    });
    for await (const { items } of pages) found.push(...items);
    return found;
  }

  /**
   * Server-side apply with the complete set of fields that the field manager wants. A field of another manager is
   * a `conflict` unless `force`.
   */
  async apply(
    kind: ResourceKind,
    wanted: KubernetesObject,
    options: WriteOptions & { fieldManager: string; force?: boolean },
  ): Promise<WriteResult> {
    const answer = await this.requestOf(kind, {
      method: 'PATCH',
      path: objectPath(kind, wanted.metadata.namespace, wanted.metadata.name),
      query: { ...writeQuery(options), force: options.force ?? false },
      contentType: 'application/apply-patch+yaml',
      body: wanted,
      repeatable: true,
      maxBytes: OBJECT_MAX_BYTES,
      signal: options.signal,
    });
    return toWriteResult(answer);
  }

  async create(kind: ResourceKind, wanted: KubernetesObject, options: WriteOptions = {}): Promise<WriteResult> {
    const answer = await this.requestOf(kind, {
      method: 'POST',
      path: objectPath(kind, wanted.metadata.namespace),
      query: writeQuery(options),
      body: wanted,
      maxBytes: OBJECT_MAX_BYTES,
      signal: options.signal,
    });
    return toWriteResult(answer);
  }

  async patch(
    kind: ResourceKind,
    name: string,
    namespace: string | undefined,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    const answer = await this.requestOf(kind, {
      method: 'PATCH',
      path: objectPath(kind, namespace, name),
      query: writeQuery(options),
      contentType: patch.type === 'merge' ? 'application/merge-patch+json' : 'application/json-patch+json',
      body: patch.body,
      repeatable: patch.type === 'merge',
      maxBytes: OBJECT_MAX_BYTES,
      signal: options.signal,
    });
    return toWriteResult(answer);
  }

  /**
   * Deletes the object; it may remain until its finalizers have run.
   * @returns whether the response shows that the object is gone; otherwise it has to be read again
   */
  async delete(
    kind: ResourceKind,
    name: string,
    namespace: string | undefined,
    options: DeleteOptions = {},
  ): Promise<{ isGone: boolean }> {
    const preconditions = { uid: options.uid, resourceVersion: options.resourceVersion };
    const { body } = await this.requestOf(kind, {
      method: 'DELETE',
      path: objectPath(kind, namespace, name),
      // The body decides; the query shows in the audit log of the cluster that nothing is deleted.
      query: { dryRun: options.dryRun ? 'All' : undefined },
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: options.propagation,
        preconditions,
        ...(options.dryRun && { dryRun: ['All'] }),
      },
      // Without the uid, it could delete an object that was created in between.
      repeatable: options.uid !== undefined,
      signal: options.signal,
    });
    // The response is the object while it remains; some kinds return it also when it is gone.
    return { isGone: isObject(body) && body['kind'] === 'Status' && !options.dryRun };
  }

  /** Creates a review object that the cluster does not store, such as a SelfSubjectRulesReview. @returns its status */
  async review(group: string, kind: string, spec: object, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const { body } = await this.transport.request({
      method: 'POST',
      path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
      body: { apiVersion: `${group}/v1`, kind, spec },
      repeatable: true,
      maxBytes: OBJECT_MAX_BYTES,
      signal,
    });
    const { status } = (body ?? {}) as { status?: unknown };
    if (typeof status === 'object' && status !== null && !Array.isArray(status)) return { ...status };
    throw new ClusterError('protocol', `The cluster did not answer a ${kind}`);
  }

  /** Returns the OpenAPI v3 document of a group version, with the schemas of its kinds. */
  async openapi(apiVersion: string, signal?: AbortSignal): Promise<unknown> {
    const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
    return (await this.transport.request({ path: `/openapi/v3/${path}`, signal })).body;
  }

  /** Returns the OpenAPI v3 documents of all group versions, and the CustomResourceDefinitions, as JSON. */
  async describe(signal?: AbortSignal): Promise<ApiDescription> {
    const { gitVersion } = await this.version(signal);
    const kind = await this.findKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    return { gitVersion, ...(await readApiDocuments(this.transport, kind, signal)) };
  }

  /** Sends a request about objects of a kind. A kind that the cluster turns out not to serve any more is forgotten. */
  private requestOf(kind: ResourceKind, request: ClusterRequest): Promise<ClusterResponse> {
    return this.forgettingUnserved(kind, this.transport.request(request));
  }

  private async forgettingUnserved<T>(kind: ResourceKind, response: Promise<T>): Promise<T> {
    try {
      return await response;
    } catch (error) {
      if (error instanceof ClusterError && error.isUnserved) await this.discovery.forget(kind);
      throw error;
    }
  }

  /** Closes all connections, and aborts running requests. */
  close(): Promise<void> {
    return this.transport.close();
  }
}

function toWriteResult(response: ClusterResponse): WriteResult {
  return { object: toObject(response), warnings: response.warnings, isCreated: response.isCreated };
}

function writeQuery({ dryRun, fieldManager }: WriteOptions) {
  return { fieldManager, fieldValidation: 'Warn', dryRun: dryRun ? 'All' : undefined };
}
