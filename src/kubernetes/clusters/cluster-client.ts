import { type Outbound } from '../../core/outbound/outbound.js';
import { type SourceFile } from '../../formats/source-file.js';
import { type ClusterAccess } from './cluster-access.js';
import { ClusterError } from './cluster-error.js';
import { type ClusterLimits, ClusterTransport } from './cluster-transport.js';
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
  /** Objects asked for at a time; 500 without it. */
  pageSize?: number;
  signal?: AbortSignal;
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

export interface Written {
  object: KubernetesObject;
  warnings: string[];
}

/** An RFC 7386 merge patch, or an RFC 6902 list of operations. */
export type Patch = { type: 'merge'; body: Record<string, unknown> } | { type: 'json'; body: object[] };

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

  constructor(access: ClusterAccess, outbound: Outbound, limits?: Partial<ClusterLimits>, onAnswer?: () => void) {
    this.namespace = access.namespace;
    this.transport = new ClusterTransport(access, outbound, limits, onAnswer);
    this.discovery = new Discovery(this.transport);
  }

  async version(signal?: AbortSignal): Promise<ClusterVersion> {
    const { body } = await this.transport.request({ path: '/version', timeoutMs: 10_000, signal });
    if (typeof (body as Partial<ClusterVersion> | undefined)?.gitVersion === 'string') return body as ClusterVersion;
    throw new ClusterError('protocol', 'The address answers, but not as a Kubernetes API server');
  }

  /** The version, once it is sure that the cluster knows the credential: `/version` alone is open to everybody. */
  async ping(signal?: AbortSignal): Promise<ClusterVersion> {
    const version = await this.version(signal);
    await this.transport.request({ path: '/apis', timeoutMs: 10_000, signal });
    return version;
  }

  /** Every kind in every version that the cluster serves. */
  kinds(): Promise<ResourceKind[]> {
    return this.discovery.all();
  }

  /** The kind, or undefined when the cluster does not serve it. A miss is asked again when the answer kept is older than `staleMs`. */
  find(apiVersion: string, kind: string, staleMs?: number): Promise<ResourceKind | undefined> {
    return this.discovery.find(apiVersion, kind, staleMs);
  }

  /** Forgets the kinds: after a definition was added, changed or removed. */
  invalidate(): void {
    this.discovery.invalidate();
  }

  async get(kind: ResourceKind, name: string, namespace?: string, signal?: AbortSignal): Promise<KubernetesObject> {
    return object(await this.transport.request({ path: pathOf(kind, namespace, name), signal }));
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
  async *pages(kind: ResourceKind, options: ListOptions = {}): AsyncGenerator<KubernetesObject[]> {
    yield* this.walk<KubernetesObject>(kind, options);
  }

  async list(kind: ResourceKind, options: ListOptions = {}): Promise<KubernetesObject[]> {
    const found: KubernetesObject[] = [];
    for await (const page of this.pages(kind, options)) found.push(...page);
    return found;
  }

  /** As `list`, without the objects' contents, which is all that finding and counting them needs. */
  async listMetadata(kind: ResourceKind, options: ListOptions = {}): Promise<ObjectMetadata[]> {
    const found: ObjectMetadata[] = [];
    for await (const page of this.walk<ObjectMetadata>(kind, options, METADATA_LIST)) {
      found.push(...page);
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
  ): Promise<Written> {
    const answer = await this.transport.request({
      method: 'PATCH',
      path: pathOf(kind, wanted.metadata.namespace, wanted.metadata.name),
      query: { ...writeQuery(options), force: options.force ?? false },
      contentType: 'application/apply-patch+yaml',
      body: wanted,
      signal: options.signal,
    });
    return { object: object(answer), warnings: answer.warnings };
  }

  async create(kind: ResourceKind, wanted: KubernetesObject, options: WriteOptions = {}): Promise<Written> {
    const answer = await this.transport.request({
      method: 'POST',
      path: pathOf(kind, wanted.metadata.namespace),
      query: writeQuery(options),
      body: wanted,
      signal: options.signal,
    });
    return { object: object(answer), warnings: answer.warnings };
  }

  async patch(
    kind: ResourceKind,
    name: string,
    namespace: string | undefined,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<Written> {
    const answer = await this.transport.request({
      method: 'PATCH',
      path: pathOf(kind, namespace, name),
      query: writeQuery(options),
      contentType: patch.type === 'merge' ? 'application/merge-patch+json' : 'application/json-patch+json',
      body: patch.body,
      signal: options.signal,
    });
    return { object: object(answer), warnings: answer.warnings };
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
    for (const path of groups.sort())
      documents.push(fileOf(path, (await this.transport.request({ path: `/openapi/v3/${path}`, signal })).body));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const definitions = [fileOf(path, (await this.transport.request({ path, signal })).body)];
    return { gitVersion, documents, definitions };
  }

  /** Ends all connections, running requests too. */
  close(): Promise<void> {
    return this.transport.close();
  }

  private async *walk<T extends ObjectMetadata>(
    kind: ResourceKind,
    options: ListOptions,
    accept?: string,
  ): AsyncGenerator<T[]> {
    let next: string | undefined;
    do {
      const { body } = await this.transport.request({
        path: pathOf(kind, options.namespace),
        query: {
          labelSelector: options.labelSelector,
          fieldSelector: options.fieldSelector,
          limit: options.pageSize ?? 500,
          continue: next,
        },
        accept,
        signal: options.signal,
      });
      const page = body as { items?: T[]; metadata?: { continue?: string } };
      // Items of a list do not say what they are: the list does.
      yield (page.items ?? []).map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }));
      next = page.metadata?.continue;
    } while (next);
  }
}

function writeQuery({ dryRun, fieldManager }: WriteOptions) {
  return { fieldManager, fieldValidation: 'Warn', dryRun: dryRun ? 'All' : undefined };
}

/** A name is one segment of the path; what would be read as more than that is no name of any object. */
function pathOf(kind: ResourceKind, namespace?: string, name?: string): string {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const inside = kind.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace, 'namespace')}` : '';
  return `${root}${inside}/${kind.plural}${name === undefined ? '' : `/${segment(name, 'name')}`}`;
}

function segment(text: string, what: string): string {
  if (text !== '' && text !== '.' && text !== '..' && !/[/%]/.test(text)) return encodeURIComponent(text);
  throw new ClusterError('invalid', `"${text}" cannot be the ${what} of an object`, { reason: 'Invalid' });
}

function object({ body }: { body: unknown }): KubernetesObject {
  if (typeof (body as KubernetesObject | undefined)?.metadata === 'object') return body as KubernetesObject;
  throw new ClusterError('protocol', 'The cluster answered something that is not an object of its API');
}

const fileOf = (path: string, body: unknown): SourceFile => ({ path, bytes: Buffer.from(JSON.stringify(body)) });
