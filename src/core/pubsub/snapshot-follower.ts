import { setTimeout as sleep } from 'node:timers/promises';
import { Follower } from './follower.js';

/** A value that is read as a whole, with the permissions that the subscriber has at that time. */
export interface SnapshotSource<T> {
  read: () => Promise<T>;
  /** Identifies a snapshot; one with the same fingerprint as the last is not sent. */
  fingerprint: (snapshot: T) => string;
}

/** The minimum interval between snapshots; changes in between are combined. */
const MIN_INTERVAL_MS = 250;

/** Returns a snapshot immediately, then a new one whenever it differs from the last. */
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
