import type { JsonObject } from '../../core/json/json.js';
import type { ObjectQuery } from '../../formats/helm/chart-api.js';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ResourceKind } from '../../kubernetes/clusters/discovery.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { withoutSecrets } from '../../kubernetes/resources/resource-row.js';
import { isWatchedKind } from '../../kubernetes/resources/watch/watched-kinds.js';
import { findAppliedFields, isOwnedBy, type Owner } from '../plan/owner.js';

/** The maximum number and size of the objects, and the maximum time, of all lookups of one rendering. */
const MAX_OBJECTS = 1_000;
const MAX_LENGTH = 16 * 1024 * 1024;
const MAX_TIME_MS = 5_000;
const MAX_WARNINGS = 20;
const MAX_WARNING_LENGTH = 500;
/** Names of real objects are shorter. */
const MAX_KEY_LENGTH = 1_000;
/** Of these, watches keep who and whose they are. */
const IDENTITY_ONLY = new Set(['ReplicaSet', 'ControllerRevision']);

/**
 * Answers `lookup` of a chart from the cluster, with what the resource sync shows: of Secrets only those of the same design, and in them
 * only the keys that its deployments have written. What is refused is not found, with a warning.
 */
export class ChartLookup {
  readonly warnings: string[] = [];
  /** A chart may be rendered several times, and sees the same objects each time. */
  private readonly answers = new Map<string, Promise<JsonObject | undefined>>();
  private objects = 0;
  private length = 0;
  private timeMs = 0;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly kinds: readonly ResourceKind[],
    private readonly owner: Owner,
  ) {}

  find(query: ObjectQuery): Promise<JsonObject | undefined> {
    const { apiVersion, plural, namespace, name } = query;
    const key = JSON.stringify([apiVersion, plural, namespace, name]);
    const answer = this.answers.get(key) ?? this.ask(query);
    if (key.length <= MAX_KEY_LENGTH && this.answers.size < MAX_OBJECTS) this.answers.set(key, answer);
    return answer;
  }

  private async ask(query: ObjectQuery): Promise<JsonObject | undefined> {
    const { apiVersion, plural, namespace, name } = query;
    const kind = this.kinds.find((one) => one.apiVersion === apiVersion && one.plural === plural);
    const what = `${kind?.kind ?? plural}${name === undefined ? '' : ` ${namespace === undefined ? '' : `${namespace}/`}${name}`}`;
    if (!kind) return undefined;
    if (!isWatchedKind(kind)) return this.refuse(`${what} cannot be looked up, because such objects change constantly`);
    if (this.isFull || this.timeMs >= MAX_TIME_MS)
      return this.refuse(`${what} was not looked up, because the chart looks up too much`);
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(Math.ceil(MAX_TIME_MS - this.timeMs));
    try {
      return await this.read(kind, query, what, signal);
    } catch (error) {
      if (signal.aborted) return this.refuse(`${what} was not looked up, because the cluster took too long`);
      if (!(error instanceof ClusterError)) throw error;
      return this.refuse(`${what} was not looked up: ${error.message}`);
    } finally {
      this.timeMs += performance.now() - startedAt;
    }
  }

  private async read(
    kind: ResourceKind,
    { namespace, name }: ObjectQuery,
    what: string,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    if (name !== undefined) {
      const found = await this.cluster.lookup(kind, name, namespace, signal);
      const shown = this.count(found && this.show(kind, found));
      return found && !shown ? this.refuse(`${what} was not looked up, because this design does not own it`) : shown;
    }
    const items: JsonObject[] = [];
    const { apiVersion } = kind;
    for await (const page of this.cluster.listPages(kind, { namespace, signal })) {
      for (const object of page) {
        if (this.isFull) {
          this.refuse(`${what} were looked up in part: a chart sees at most ${MAX_OBJECTS} objects, of 16 MiB`);
          return { apiVersion, kind: `${kind.kind}List`, metadata: {}, items };
        }
        const shown = this.count(this.show(kind, object));
        if (shown) items.push(shown);
      }
    }
    return { apiVersion, kind: `${kind.kind}List`, metadata: {}, items };
  }

  /** What a chart sees of an object; undefined for a Secret of others. */
  private show(kind: ResourceKind, object: KubernetesObject): JsonObject | undefined {
    const { apiVersion } = object;
    if (kind.kind !== 'Secret' || kind.group !== '') {
      const shown = withoutSecrets(kind, object);
      return (IDENTITY_ONLY.has(kind.kind)
        ? { apiVersion, kind: kind.kind, metadata: shown.metadata }
        : shown) as unknown as JsonObject;
    }
    if (!isOwnedBy(this.owner, object)) return undefined;
    const { 'f:data': written = {} } = (findAppliedFields(object)?.fieldsV1 ?? {}) as { 'f:data'?: object };
    const data = Object.entries((object['data'] ?? {}) as JsonObject).filter(([key]) => `f:${key}` in written);
    const { data: _, ...shown } = withoutSecrets(kind, object) as KubernetesObject & { data?: unknown };
    return { ...shown, data: Object.fromEntries(data) } as unknown as JsonObject;
  }

  private get isFull(): boolean {
    return this.objects >= MAX_OBJECTS || this.length >= MAX_LENGTH;
  }

  /** Counts an object that was read, whether it is shown or not. */
  private count(shown: JsonObject | undefined): JsonObject | undefined {
    this.objects += 1;
    this.length += shown ? JSON.stringify(shown).length : 0;
    return shown;
  }

  private refuse(text: string): undefined {
    const warning = sanitizeClusterText(text, MAX_WARNING_LENGTH);
    if (this.warnings.length < MAX_WARNINGS && !this.warnings.includes(warning)) this.warnings.push(warning);
    return undefined;
  }
}
