import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** The clusters that this server plans for or deploys to at the moment, so that its background work there waits for that. */
@Injectable()
export class BusyClusters {
  private readonly running = new Map<string, Set<Promise<unknown>>>();

  /** Marks a cluster as busy during the work. */
  async during<T>(connectionId: string, work: () => Promise<T>): Promise<T> {
    const others = this.running.get(connectionId) ?? new Set();
    this.running.set(connectionId, others);
    const own = work();
    others.add(own);
    try {
      return await own;
    } finally {
      others.delete(own);
      if (others.size === 0) this.running.delete(connectionId);
    }
  }

  /** Returns a function that resolves when the cluster is not busy; in all it waits no longer than `mostMs`. */
  yieldTo(connectionId: string, mostMs: number, signal?: AbortSignal): () => Promise<void> {
    let left = mostMs;
    let waiting: Promise<void> | undefined;
    const wait = async (): Promise<void> => {
      for (
        let running = this.running.get(connectionId);
        running && left > 0;
        running = this.running.get(connectionId)
      ) {
        const since = performance.now();
        await settledWithin(running, left, signal);
        left -= performance.now() - since;
      }
    };
    return () => (waiting ??= wait().finally(() => (waiting = undefined)));
  }
}

async function settledWithin(running: Iterable<Promise<unknown>>, ms: number, signal?: AbortSignal): Promise<void> {
  const end = new AbortController();
  const limit = pause(ms, undefined, { signal: signal ? AbortSignal.any([signal, end.signal]) : end.signal });
  await Promise.race([Promise.allSettled(running), limit.catch(() => undefined)]);
  end.abort();
  signal?.throwIfAborted();
}
