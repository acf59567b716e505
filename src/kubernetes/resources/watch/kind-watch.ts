import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '../../../core/backoff.js';
import { TimeSlicer } from '../../../core/time-slicer.js';
import type { ClusterClient } from '../../clusters/cluster-client.js';
import type { WatchEvent } from '../../clusters/object-answers.js';
import { ClusterError } from '../../clusters/cluster-error.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import { rememberApplied } from '../applied-fields.js';
import { type SeenResource, toSeenResource } from '../resource-row.js';
import type { MissingKind } from './cluster-watch.entity.js';

/** Where a watch of one kind writes to. */
export interface KindSink {
  upsert(kind: ResourceKind, seen: SeenResource[]): Promise<void>;
  delete(kind: ResourceKind, objects: { namespace: string; name: string }[]): Promise<void>;
  /** @param namespace of the list that had these, where it was not all */
  sweep(kind: ResourceKind, uids: ReadonlySet<string>, namespace?: string): Promise<void>;
  /** Whether a watch may keep so many objects beside those of the others. */
  hasRoomFor(watch: KindWatch, count: number): boolean;
  /** Milliseconds to pause after an event, so that no cluster keeps this process busy with its changes. */
  pace(): number;
  /** One of so many lists at a time. */
  whenListed<T>(list: () => Promise<T>): Promise<T>;
  /** The state of a kind has changed. */
  report(): void;
  /** Something went wrong that may be a matter of the whole cluster: whether it answers, and is still the same, is to be seen. */
  suspect(): void;
}

/** Times of a watch, so that tests need not wait for them. */
export interface WatchTiming {
  /** What changed is written together after so long. */
  flushMs: number;
  /** Between tries, at first and at most. */
  retryMs: number;
  maxRetryMs: number;
  /** Until a kind that may not be listed is asked for again. */
  forbiddenRetryMs: number;
}

export const WATCH_TIMING: WatchTiming = {
  flushMs: 150,
  retryMs: 1_000,
  maxRetryMs: 60_000,
  forbiddenRetryMs: 300_000,
};

const PAGE_SIZE = 250;
const MAX_BATCH = 200;
/** Characters of contents that are written at once. */
const MAX_BATCH_SIZE = 2 * 1024 * 1024;
/** A watch that lasted so long has recovered from what went wrong before; one that ends earlier is tried again ever later. */
const STEADY_MS = 10_000;
/** Kubernetes names are shorter. */
const MAX_NAME = 253;

/** What says nothing of the objects: the watch goes on from where it was. */
const CUTS = new Set(['unreachable', 'timeout', 'unavailable', 'throttled']);

/** Of one kind, before it is reported as not watched. */
const MAX_QUIET_FAILURES = 3;
/** One after another, before everything is listed again. */
const MAX_CUTS = 8;

const TIME_IS_UP = Symbol('time is up');

/**
 * Keeps the objects of one kind of a cluster as they are: lists them, then watches from the version of the list on; lists again
 * when the cluster no longer knows the version. It keeps the last resource version when it is stopped, and resumes from there.
 */
export class KindWatch {
  /** Why the kind is not watched; null while it is. */
  missing: MissingKind | null = null;
  /** How many objects there are. */
  count = 0;
  private resourceVersion: string | null = null;
  private failures = 0;

  /** @param namespace that it is limited to, where the kind may not be listed in all */
  constructor(
    readonly kind: ResourceKind,
    private readonly sink: KindSink,
    private readonly timing: WatchTiming = WATCH_TIMING,
    readonly namespace?: string,
  ) {}

  /** Whether all objects were listed, or cannot be. */
  get isSettled(): boolean {
    return this.resourceVersion !== null || this.missing !== null;
  }

  /** The next run lists again. */
  reset(): void {
    this.resourceVersion = null;
  }

  /** Runs until the signal is aborted. @throws ClusterError what is wrong with the cluster as a whole, and what the sink throws */
  async run(client: ClusterClient, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let watchedFrom = Infinity;
      const hasLasted = (): boolean => performance.now() - watchedFrom > STEADY_MS;
      try {
        this.resourceVersion ??= await this.sink.whenListed(() => this.list(client, signal));
        this.settle(null);
        watchedFrom = performance.now();
        await this.watch(client, this.resourceVersion, signal);
        if (hasLasted()) this.failures = 0;
        else await this.pauseAfterFault(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ClusterError) || error.kind === 'unauthorized') throw error;
        if (hasLasted()) this.failures = 0;
        await this.handleFault(error, signal);
      }
    }
  }

  private async handleFault(error: ClusterError, signal: AbortSignal): Promise<void> {
    const isAhead = error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
    const patience = this.resourceVersion !== null ? MAX_CUTS : MAX_QUIET_FAILURES;
    if (CUTS.has(error.kind) && !isAhead && this.failures < patience) return this.pauseAfterFault(signal);
    this.resourceVersion = null;
    if (error.kind === 'expired' || isAhead) return this.pauseAfterFault(signal);
    const isRefused = error.kind === 'forbidden' || error.kind === 'notFound' || error.answered === 405;
    const isTooLarge = error.kind === 'tooLarge';
    const reason = isRefused ? 'forbidden' : isTooLarge ? 'too_large' : 'failing';
    if (reason !== 'failing' || this.failures >= MAX_QUIET_FAILURES)
      this.settle({ api_version: this.kind.apiVersion, kind: this.kind.kind, reason, detail: error.message });
    if (reason === 'failing') return this.pauseAfterFault(signal);
    await sleep(this.timing.forbiddenRetryMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(
      () => undefined,
    );
  }

  private async pauseAfterFault(signal: AbortSignal): Promise<void> {
    this.sink.suspect();
    this.failures++;
    const { retryMs, maxRetryMs } = this.timing;
    await sleep(backoff(this.failures, retryMs, maxRetryMs), undefined, { signal }).catch(() => undefined);
  }

  private settle(missing: MissingKind | null): void {
    this.missing = missing;
    this.sink.report();
  }

  /** @returns the version of the list */
  private async list(client: ClusterClient, signal: AbortSignal): Promise<string> {
    const uids = new Set<string>();
    const turns = new TimeSlicer();
    let version = '';
    for await (const { items, resourceVersion } of client.listVersionedPages(this.kind, {
      pageSize: PAGE_SIZE,
      namespace: this.namespace,
      signal,
    })) {
      version = resourceVersion;
      this.assertRoomFor(uids.size + items.length);
      const batch = new Batch();
      for (const object of items) {
        await turns.yieldToEventLoop();
        if (!isStorable(object)) continue;
        uids.add(object.metadata.uid ?? '');
        batch.put(this.kind, object);
        if (batch.isFull) await this.flush(batch);
      }
      await this.flush(batch);
    }
    if (version === '')
      throw new ClusterError('protocol', `The cluster lists ${this.kind.plural} without a resourceVersion`);
    await this.sink.sweep(this.kind, uids, this.namespace);
    this.count = uids.size;
    return version;
  }

  private async watch(client: ClusterClient, from: string, outer: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([outer, stop.signal]);
    const events = client.watch(this.kind, from, { namespace: this.namespace, signal });
    const batch = new Batch();
    let version = from;
    try {
      let next = this.nextOf(events);
      for (;;) {
        const result = batch.isEmpty
          ? await next
          : await Promise.race([next, sleep(batch.remainingMs(this.timing.flushMs), TIME_IS_UP, { ref: false })]);
        if (result !== TIME_IS_UP && !result.done) {
          version = laterOf(version, this.take(batch, result.value));
          const pause = this.sink.pace();
          if (pause > 0) await sleep(pause, undefined, { signal });
          next = this.nextOf(events);
        }
        if (result !== TIME_IS_UP && !result.done && !batch.isFull) {
          if (batch.isEmpty) this.resourceVersion = version;
          continue;
        }
        await this.flush(batch);
        this.resourceVersion = version;
        if (result !== TIME_IS_UP && result.done) return;
      }
    } finally {
      stop.abort();
    }
  }

  /** The next event; that nobody waits for it any more when something else fails is no fault of its own. */
  private nextOf(events: AsyncGenerator<WatchEvent>): Promise<IteratorResult<WatchEvent, void>> {
    const next = events.next();
    next.catch(() => undefined);
    return next;
  }

  /** @returns the version that the event stands for */
  private take(batch: Batch, event: WatchEvent): string | undefined {
    if (event.type === 'BOOKMARK') return event.resourceVersion;
    const { object } = event;
    if (isStorable(object)) {
      if (event.type === 'ADDED') this.assertRoomFor(++this.count);
      if (event.type === 'DELETED') this.count--;
      if (event.type === 'DELETED') batch.remove(object);
      else batch.put(this.kind, object);
    }
    return object.metadata.resourceVersion;
  }

  private async flush(batch: Batch): Promise<void> {
    const { seen, removed } = batch.takeAll();
    await this.sink.upsert(this.kind, seen);
    await this.sink.delete(this.kind, removed);
  }

  private assertRoomFor(count: number): void {
    if (this.sink.hasRoomFor(this, count)) return;
    throw new ClusterError(
      'tooLarge',
      `The cluster has more objects than are stored of one cluster (LIMIT_CLUSTER_RESOURCES)`,
    );
  }
}

/** What is written together: of each object its last state. */
class Batch {
  private readonly changes = new Map<string, SeenResource | { namespace: string; name: string }>();
  private size = 0;
  private begunAt = 0;

  get isEmpty(): boolean {
    return this.changes.size === 0;
  }

  get isFull(): boolean {
    return this.changes.size >= MAX_BATCH || this.size >= MAX_BATCH_SIZE;
  }

  put(kind: ResourceKind, object: KubernetesObject): void {
    const seen = toSeenResource(kind, object);
    const before = this.changes.get(keyOf(seen.row));
    // What others take over before it is written was applied all the same.
    if (before && 'row' in before && before.row.uid === seen.row.uid && before.applied)
      seen.appliedBefore = rememberApplied(before.applied, before.appliedBefore);
    this.add(seen.row, seen);
    this.size += sizeOf(seen);
  }

  remove({ metadata }: KubernetesObject): void {
    const named = { namespace: metadata.namespace ?? '', name: metadata.name };
    this.add(named, named);
  }

  /** Of the time after its first change. */
  remainingMs(wholeMs: number): number {
    return Math.max(0, this.begunAt + wholeMs - performance.now());
  }

  takeAll(): { seen: SeenResource[]; removed: { namespace: string; name: string }[] } {
    const all = [...this.changes.values()];
    this.changes.clear();
    this.size = 0;
    return { seen: all.filter((one) => 'row' in one), removed: all.filter((one) => 'name' in one) };
  }

  private add(
    { namespace, name }: { namespace: string; name: string },
    change: SeenResource | { namespace: string; name: string },
  ): void {
    if (this.isEmpty) this.begunAt = performance.now();
    this.changes.set(keyOf({ namespace, name }), change);
  }
}

const keyOf = ({ namespace, name }: { namespace: string; name: string }): string => JSON.stringify([namespace, name]);

/** Characters that are held of it; of an object whose content was too large to keep whole, as many as are written at once. */
function sizeOf({ row: { content, omitted }, applied }: SeenResource): number {
  return applied && omitted.length > 0 ? MAX_BATCH_SIZE : content.length;
}

/** Versions only grow: an earlier one from a cluster is ignored. What cannot be compared is accepted as it comes. */
function laterOf(version: string, other: string | undefined): string {
  if (other === undefined || other === '') return version;
  const isComparable = /^\d{1,30}$/.test(version) && /^\d{1,30}$/.test(other);
  return isComparable && BigInt(other) < BigInt(version) ? version : other;
}

function isStorable({ metadata: { name, namespace = '', uid } }: KubernetesObject): boolean {
  const isName = (given: unknown): boolean =>
    typeof given === 'string' && given.length <= MAX_NAME && !given.includes('\0');
  return isName(name) && name !== '' && isName(namespace) && isName(uid);
}
