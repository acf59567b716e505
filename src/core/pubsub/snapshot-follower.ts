import { setTimeout as sleep } from 'node:timers/promises';
import { Follower } from './follower.js';

/** What a subscriber follows: something that is read as a whole, with the rights that the subscriber has then. */
export interface SnapshotSource<T> {
  read: () => Promise<T>;
  /** What two snapshots are compared by: one that is as the last is not sent. */
  fingerprint: (snapshot: T) => string;
}

/** A subscriber gets at most four snapshots a second: changes in between are combined. */
const MIN_INTERVAL_MS = 250;

/** The snapshot at once, then whenever a new one differs from the last. */
export class SnapshotFollower<T> extends Follower<T> {
  private lastSent: string | null = null;
  private readAt = -Infinity;

  constructor(
    private readonly source: SnapshotSource<T>,
    leave: () => void,
  ) {
    super(leave);
  }

  protected override async take(): Promise<T | null> {
    const snapshot = await this.source.read();
    this.readAt = performance.now();
    const fingerprint = this.source.fingerprint(snapshot);
    if (fingerprint === this.lastSent) return null;
    this.lastSent = fingerprint;
    return snapshot;
  }

  protected override async pace(): Promise<void> {
    const left = this.readAt + MIN_INTERVAL_MS - performance.now();
    if (left > 0) await sleep(left);
  }
}
