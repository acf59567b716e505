import { Logger } from '@nestjs/common';
import { backoff } from '../../core/backoff.js';
import { isDatabaseOutage } from '../../core/errors/database-outage.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import type { SeenEvent } from '../event.entity.js';
import { replayExpired } from '../replay-expired.js';
import { type FeedBatch, type FeedStore, toSeenEvents } from '../feed.store.js';

/** How long it holds that someone may read an event; after that it is asked again before the event is given to them. */
export const FRESH_MS = 1_000;
const BATCH_SIZE = 200;
const MAX_BATCHES = 20;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** A reader of the feed, who is woken when there is more. */
interface FeedReader {
  readonly userId: string;
  wake(): void;
}

/** What one follower gets next of a feed, and up to which number it goes. */
export interface FeedSlice {
  at: number;
  through: bigint;
  events: readonly SeenEvent[];
}

/**
 * The end of one feed on this replica, read once for all who follow it. Notices only wake it: its events are read from
 * the table by number, and so is whatever a follower missed.
 */
export class FeedTail {
  private readonly logger = new Logger(FeedTail.name);
  private readonly followers = new Set<FeedReader>();
  private recent: FeedBatch[] = [];
  /** Readings of what some followers missed, by the position that they are at. */
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

  /** Says that there may be something new. */
  wake(): void {
    this.awake = true;
    if (!this.reading) void this.readNewEvents();
  }

  /** Whether it has come further. */
  hasMoreThan(position: bigint): boolean {
    return position < this.position;
  }

  /**
   * What comes after a position for a user; null when there is nothing yet, and the follower is woken when there is.
   * @throws AppError REPLAY_EXPIRED when it was removed before the follower came to it
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

  /** The same, as far as it was read a moment ago. */
  findRecent(position: bigint, userId: string): FeedSlice | null {
    if (!this.hasMoreThan(position)) return null;
    const batch = this.recent.find((each) => covers(each, position, userId));
    return batch ? toSlice(batch, userId, position) : null;
  }

  private readBatch(position: bigint): Promise<FeedBatch> {
    const users = new Set([...this.followers].map(({ userId }) => userId));
    return this.store.readAfter(this.feed, position, users, BATCH_SIZE);
  }

  /** Followers who fall behind do so together: what they missed is read once for all who are at the same position. */
  private async readMissed(position: bigint, userId: string): Promise<FeedBatch> {
    const underway = this.missed.get(position);
    const shared = underway && (await underway);
    // The rights of a user who joined in the meantime were not read.
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
        this.logger.warn(`reading the feed ${this.feed} failed, trying again: ${String(error)}`);
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
