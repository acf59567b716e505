import { Logger } from '@nestjs/common';
import { backoff } from '../../core/backoff.js';
import { isDatabaseOutage } from '../../core/errors/database-outage.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import type { SeenEvent } from '../event.entity.js';
import { replayExpired } from '../replay-expired.js';
import { type FeedBatch, type FeedStore, toSeenEvents } from '../feed.store.js';

/** How long the check of a user's right to an event is valid before the event is sent. */
export const FRESH_MS = 1_000;
const BATCH_SIZE = 200;
const MAX_BATCHES = 20;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** A reader of the feed, which is woken when new events arrive. */
interface FeedReader {
  readonly userId: string;
  wake(): void;
}

/** The next events of a feed that a follower may read, up to the number `through`. */
export interface FeedSlice {
  at: number;
  through: bigint;
  events: readonly SeenEvent[];
}

/**
 * The recent events of one feed on this replica, read once for all followers. Notifications only wake it; it reads events by number from
 * the table, including those that a follower missed.
 */
export class FeedTail {
  private readonly logger = new Logger(FeedTail.name);
  private readonly followers = new Set<FeedReader>();
  private recent: FeedBatch[] = [];
  /** Running reads of missed events, by the position after which they start. */
  private readonly missed = new Map<bigint, Promise<FeedBatch>>();
  private awake = false;
  private reading = false;
  private failures = 0;
  private retry: NodeJS.Timeout | null = null;

  /** @param position the number that the feed had reached, or an earlier one */
  constructor(
    private readonly feed: string,
    private position: bigint,
    private readonly store: FeedStore,
  ) {}

  get isIdle(): boolean {
    return this.followers.size === 0;
  }

  add(follower: FeedReader): void {
    this.followers.add(follower);
  }

  remove(follower: FeedReader): void {
    this.followers.delete(follower);
  }

  /** Reads new events, if any. */
  wake(): void {
    this.awake = true;
    if (!this.reading) void this.readNewEvents();
  }

  /** Reports whether the feed has events after a position. */
  hasMoreThan(position: bigint): boolean {
    return position < this.position;
  }

  /**
   * Returns the events after a position for a user, or null when there are none yet; new events wake the follower.
   * @throws AppError REPLAY_EXPIRED when the events were removed before the follower read them
   */
  async readAfter(position: bigint, userId: string): Promise<FeedSlice | null> {
    if (!this.hasMoreThan(position)) return null;
    const recent = this.findRecent(position, userId);
    if (recent) return recent;
    const batch = await this.readMissed(position, userId);
    if (batch.from > position) throw replayExpired(position, batch.from + 1n);
    if (batch.through <= position) throw replayExpired(position, this.position + 1n);
    return toSlice(batch, userId, position);
  }

  /** Like `readAfter`, from memory only. */
  findRecent(position: bigint, userId: string): FeedSlice | null {
    if (!this.hasMoreThan(position)) return null;
    const batch = this.recent.find((each) => covers(each, position, userId));
    return batch ? toSlice(batch, userId, position) : null;
  }

  private readBatch(position: bigint): Promise<FeedBatch> {
    const users = new Set([...this.followers].map(({ userId }) => userId));
    return this.store.readAfter(this.feed, position, users, BATCH_SIZE);
  }

  /** Reads missed events, once for all followers at the same position, because followers often fall behind together. */
  private async readMissed(position: bigint, userId: string): Promise<FeedBatch> {
    const underway = this.missed.get(position);
    const shared = underway && (await underway);
    // The shared read lacks the rights of a user who started to follow after it began.
    if (shared?.users.has(userId)) return shared;
    const reading = this.readBatch(position);
    this.missed.set(position, reading);
    try {
      const batch = await reading;
      this.keep(batch);
      return batch;
    } finally {
      if (this.missed.get(position) === reading) this.missed.delete(position);
    }
  }

  private keep(batch: FeedBatch): void {
    this.recent = [...this.recent.filter(isFresh), batch].slice(-MAX_BATCHES);
  }

  private async readNewEvents(): Promise<void> {
    this.reading = true;
    try {
      while (this.awake && !this.isIdle) {
        this.awake = false;
        const batch = await this.readBatch(this.position);
        if (batch.events.length === 0) continue;
        this.awake ||= batch.events.length === BATCH_SIZE;
        this.keep(batch);
        this.position = batch.through;
        const turns = new TimeSlicer();
        for (const follower of this.followers) {
          follower.wake();
          await turns.yieldToEventLoop();
        }
      }
      this.failures = 0;
    } catch (error) {
      if (!isDatabaseOutage(error))
        this.logger.warn(`reading the feed ${this.feed} failed and will be retried: ${String(error)}`);
      this.scheduleRetry();
    } finally {
      this.reading = false;
    }
  }

  private scheduleRetry(): void {
    this.failures++;
    this.retry ??= setTimeout(
      () => {
        this.retry = null;
        this.wake();
      },
      backoff(this.failures, FIRST_PAUSE_MS, MAX_PAUSE_MS),
    ).unref();
  }
}

const toSlice = (batch: FeedBatch, userId: string, position: bigint): FeedSlice => ({
  at: batch.at,
  through: batch.through,
  events: toSeenEvents(batch, userId, position),
});

const isFresh = ({ at }: FeedBatch): boolean => performance.now() - at < FRESH_MS;

const covers = (batch: FeedBatch, position: bigint, userId: string): boolean =>
  batch.from <= position && position < batch.through && batch.users.has(userId) && isFresh(batch);
