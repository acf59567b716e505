import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '../../../core/backoff.js';
import type { ClusterClient } from '../../clusters/cluster-client.js';
import type { WatchEvent } from '../../clusters/object-answers.js';
import { ClusterError, isPassing } from '../../clusters/cluster-error.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import { rememberApplied } from '../applied-fields.js';
import { type SeenResource, toSeenResource } from '../resource-row.js';
import type { MissingKind } from './cluster-watch.entity.js';
import { isStorable, LISTED_PAGE } from './listed-page.js';
import type { WatchedPlace } from './watched-namespaces.js';

/** Names an object of a kind. */
export interface ResourceKey {
  namespace: string;
  name: string;
}

export interface StoredResource extends ResourceKey {
  digest: string | null;
}

/** Receives the changes of watches. */
export interface KindSink {
  upsert(kind: ResourceKind, seen: SeenResource[], place?: WatchedPlace): Promise<void>;
  delete(kind: ResourceKind, objects: ResourceKey[], place?: WatchedPlace): Promise<void>;
  /** Returns the stored objects with their digests; null where connections differ. @param place undefined for all namespaces */
  findStored(kind: ResourceKind, place?: WatchedPlace): Promise<StoredResource[]>;
  /** Deletes stored objects that were not in a list, which was of all namespaces unless there is a place. */
  sweep(kind: ResourceKind, gone: ResourceKey[], place?: WatchedPlace): Promise<void>;
  /** Deletes stored objects that the present access was not shown, of a kind that cannot be listed. */
  deleteUnseen(kind: ResourceKind): Promise<void>;
  /** Reports whether a watch may store this many objects, given those of other watches. */
  hasRoomFor(watch: KindWatch, count: number): boolean;
  /** Returns the milliseconds to pause after an event, to limit the rate of a cluster. */
  pace(): number;
  /** Runs a list when a slot is free. */
  withListSlot<T>(list: () => Promise<T>): Promise<T>;
  /** Reports a changed state of a kind. */
  report(): void;
  /** Requests a check of the whole cluster after a failure that may concern it. */
  requestClusterCheck(): void;
}

/** The timing of a watch, configurable for tests. */
export interface WatchTiming {
  /** Changes are collected for this time and written together. */
  flushMs: number;
  /** The initial and maximum back-off. */
  retryMs: number;
  maxRetryMs: number;
  /** The retry interval of a kind that may not be listed. */
  forbiddenRetryMs: number;
}

export const WATCH_TIMING: WatchTiming = {
  flushMs: 150,
  retryMs: 1_000,
  maxRetryMs: 60_000,
  forbiddenRetryMs: 300_000,
};

const PAGE_SIZE = 500;
const MAX_BATCH = 200;
/** The maximum size of contents in a batch, in bytes. */
const MAX_BATCH_SIZE = 2 * 1024 * 1024;
/** A watch that lasts this long resets the back-off. */
const BACKOFF_RESET_MS = 10_000;

/** The number of consecutive failures of a kind before it is reported as not watched. */
const MAX_QUIET_FAILURES = 3;
/** The number of consecutive connection failures before everything is listed again. */
const MAX_CONNECTION_FAILURES = 8;

const TIMED_OUT = Symbol('time is up');

/**
 * The watch of one kind: lists its objects, then watches from the resource version of the list, and lists again when
 * the version has expired. A stopped watch resumes from its last resource version.
 */
export class KindWatch {
  /** Why the kind is not watched; null while it is. */
  missing: MissingKind | null = null;
  /** The number of objects. */
  count = 0;
  private resourceVersion: string | null = null;
  private failures = 0;
  private isTried = false;

  /** @param place to watch, when listing all namespaces is forbidden */
  constructor(
    readonly kind: ResourceKind,
    private readonly sink: KindSink,
    private readonly timing: WatchTiming = WATCH_TIMING,
    readonly place?: WatchedPlace,
  ) {}

  /** Whether the first list has completed, or failed permanently. */
  get isSettled(): boolean {
    return this.isListed || this.missing !== null;
  }

  /** Whether it is listed, or has failed permanently since it was last started. */
  get isDecided(): boolean {
    return this.isListed || this.isTried;
  }

  /** Whether the stored objects are those of its last list and the changes since. */
  get isListed(): boolean {
    return this.resourceVersion !== null;
  }

  /** Makes the next run list again. */
  reset(): void {
    this.resourceVersion = null;
  }

  /**
   * Runs until the signal is aborted.
   * @throws ClusterError for failures of the whole cluster
   * @throws errors of the sink
   */
  async run(client: ClusterClient, signal: AbortSignal): Promise<void> {
    this.isTried = false;
    while (!signal.aborted) {
      let watchedFrom = Infinity;
      const hasLasted = (): boolean => performance.now() - watchedFrom > BACKOFF_RESET_MS;
      try {
        this.resourceVersion ??= await this.sink.withListSlot(() => this.list(client, signal));
        await this.settle(null);
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
    const patience = this.resourceVersion !== null ? MAX_CONNECTION_FAILURES : MAX_QUIET_FAILURES;
    // The watch goes on from its resource version.
    if (isPassing(error) && !isAhead && this.failures < patience) return this.pauseAfterFault(signal);
    this.resourceVersion = null;
    if (error.kind === 'expired' || isAhead) return this.pauseAfterFault(signal);
    const isRefused = error.kind === 'forbidden' || error.kind === 'notFound' || error.answered === 405;
    const isTooLarge = error.kind === 'tooLarge';
    const reason = isRefused ? 'forbidden' : isTooLarge ? 'too_large' : 'failing';
    if (reason !== 'failing' || this.failures >= MAX_QUIET_FAILURES)
      await this.settle({ api_version: this.kind.apiVersion, kind: this.kind.kind, reason, detail: error.message });
    if (reason === 'failing') return this.pauseAfterFault(signal);
    await sleep(this.timing.forbiddenRetryMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(
      () => undefined,
    );
  }

  private async pauseAfterFault(signal: AbortSignal): Promise<void> {
    this.sink.requestClusterCheck();
    this.failures++;
    const { retryMs, maxRetryMs } = this.timing;
    await sleep(backoff(this.failures, retryMs, maxRetryMs), undefined, { signal }).catch(() => undefined);
  }

  private async settle(missing: MissingKind | null): Promise<void> {
    // Where listing is forbidden, what is outside of the watched namespaces is deleted in any case.
    if (missing && missing.reason !== 'forbidden' && !this.place) await this.sink.deleteUnseen(this.kind);
    this.missing = missing;
    this.isTried = true;
    this.sink.report();
  }

  /** Writes what differs from what is stored. @returns the resource version of the list */
  private async list(client: ClusterClient, signal: AbortSignal): Promise<string> {
    const { kind, place, sink } = this;
    const stored = new Map((await sink.findStored(kind, place)).map((one) => [keyOf(one), one]));
    let [version, count] = ['', 0];
    const options = { pageSize: PAGE_SIZE, namespace: place?.namespace, signal };
    for await (const { items, resourceVersion } of client.listReadPages(kind, options, LISTED_PAGE)) {
      version = resourceVersion;
      count += items.length;
      this.assertRoomFor(count);
      const changed = items.filter(({ row }) => {
        const key = keyOf(row);
        const known = stored.get(key);
        stored.delete(key);
        return known?.digest !== row.digest;
      });
      await this.write(changed);
    }
    if (version === '')
      throw new ClusterError('protocol', `The cluster lists ${kind.plural} without a resourceVersion`);
    await sink.sweep(kind, [...stored.values()], place);
    this.count = count;
    return version;
  }

  /** In batches of a bounded size; of an object that is listed twice, its last state. */
  private async write(listed: SeenResource[]): Promise<void> {
    const seen = [...new Map(listed.map((one) => [keyOf(one.row), one])).values()];
    for (let from = 0, to = 0; from < seen.length; from = to) {
      for (let size = 0; to < seen.length && to - from < PAGE_SIZE && size < MAX_BATCH_SIZE; to++)
        size += sizeOf(seen[to] as SeenResource);
      await this.sink.upsert(this.kind, seen.slice(from, to), this.place);
    }
  }

  private async watch(client: ClusterClient, from: string, outer: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([outer, stop.signal]);
    const events = client.watch(this.kind, from, { namespace: this.place?.namespace, signal });
    const batch = new Batch();
    let version = from;
    try {
      let next = this.nextOf(events);
      for (;;) {
        const result = batch.isEmpty
          ? await next
          : await Promise.race([next, sleep(batch.remainingMs(this.timing.flushMs), TIMED_OUT, { ref: false })]);
        if (result !== TIMED_OUT && !result.done) {
          version = laterOf(version, this.take(batch, result.value));
          const pause = this.sink.pace();
          if (pause > 0) await sleep(pause, undefined, { signal });
          next = this.nextOf(events);
        }
        if (result !== TIMED_OUT && !result.done && !batch.isFull) {
          if (batch.isEmpty) this.resourceVersion = version;
          continue;
        }
        await this.flush(batch);
        this.resourceVersion = version;
        if (result !== TIMED_OUT && result.done) return;
      }
    } finally {
      stop.abort();
    }
  }

  /** Requests the next event; a rejection after the watch has ended is ignored. */
  private nextOf(events: AsyncGenerator<WatchEvent>): Promise<IteratorResult<WatchEvent, void>> {
    const next = events.next();
    next.catch(() => undefined);
    return next;
  }

  /** @returns the resource version of the event */
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
    await this.sink.upsert(this.kind, seen, this.place);
    await this.sink.delete(this.kind, removed, this.place);
  }

  private assertRoomFor(count: number): void {
    if (this.sink.hasRoomFor(this, count)) return;
    throw new ClusterError(
      'tooLarge',
      `The cluster has more objects than are stored of one cluster (LIMIT_CLUSTER_RESOURCES)`,
    );
  }
}

/** The pending changes: the last state of each object. */
class Batch {
  private readonly changes = new Map<string, SeenResource | ResourceKey>();
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
    // Keeps the applied fields of a state that is replaced before it was written.
    if (before && 'row' in before && before.row.uid === seen.row.uid && before.applied)
      seen.appliedBefore = rememberApplied(before.applied, before.appliedBefore);
    this.add(seen.row, seen);
    this.size += sizeOf(seen);
  }

  remove({ metadata }: KubernetesObject): void {
    const named = { namespace: metadata.namespace ?? '', name: metadata.name };
    this.add(named, named);
  }

  /** The remaining part of `wholeMs` since the first change. */
  remainingMs(wholeMs: number): number {
    return Math.max(0, this.begunAt + wholeMs - performance.now());
  }

  takeAll(): { seen: SeenResource[]; removed: ResourceKey[] } {
    const all = [...this.changes.values()];
    this.changes.clear();
    this.size = 0;
    return { seen: all.filter((one) => 'row' in one), removed: all.filter((one) => 'name' in one) };
  }

  private add(key: ResourceKey, change: SeenResource | ResourceKey): void {
    if (this.isEmpty) this.begunAt = performance.now();
    this.changes.set(keyOf(key), change);
  }
}

/** Neither contains NUL. */
const keyOf = ({ namespace, name }: ResourceKey): string => `${namespace}\0${name}`;

/** The size of an object in memory, in bytes; an applied object with omitted content is kept whole and counts as a full batch. */
function sizeOf({ row: { content, omitted }, applied }: SeenResource): number {
  return applied && omitted.length > 0 ? MAX_BATCH_SIZE : content.length;
}

/** Returns the later of two resource versions; versions that are not numbers are accepted in order of arrival. */
function laterOf(version: string, other: string | undefined): string {
  if (other === undefined || other === '') return version;
  const isComparable = /^\d{1,30}$/.test(version) && /^\d{1,30}$/.test(other);
  return isComparable && BigInt(other) < BigInt(version) ? version : other;
}
