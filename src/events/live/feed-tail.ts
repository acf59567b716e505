import { Logger } from '@nestjs/common';
import { backoff } from '../../core/backoff.js';
import { isDatabaseOutage } from '../../core/database/database-outage.js';
import type { SeenEvent } from '../event.entity.js';
import { type FeedBatch, type FeedStore, toSeenEvents } from '../feed.store.js';
import type { EventFollower } from './event-follower.js';

/** How long it holds that someone may read an event; after that it is asked again before the event is given to them. */
export const FRESH_MS = 1_000;
const BATCH_SIZE = 200;
const MAX_BATCHES = 20;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** What one follower gets next of a feed, and up to which number it goes. */
export interface FeedSlice {
  at: number;
  through: bigint;
  events: SeenEvent[];
}

/**
 * The end of one feed on this replica, read once for all who follow it. Notices only wake it: what it tells is read from
 * the table by number, and so is whatever a follower missed.
 */
export class FeedTail {
  private readonly logger = new Logger(FeedTail.name);
  private readonly followers = new Set<EventFollower>();
  private recent: FeedBatch[] = [];
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

  add(follower: EventFollower): void {
    this.followers.add(follower);
  }

  remove(follower: EventFollower): void {
    this.followers.delete(follower);
  }

  /** Says that there may be something new. */
  wake(): void {
    this.awake = true;
    if (!this.reading) void this.readNewEvents();
  }

  /** What comes after a position for a user; null when there is nothing yet, and the follower is woken when there is. */
  async readAfter(position: bigint, userId: string): Promise<FeedSlice | null> {
    if (position >= this.position) return null;
    const batch =
      this.recent.find((each) => covers(each, position, userId)) ??
      (await this.store.readAfter(this.feed, position, new Set([userId]), BATCH_SIZE));
    const through = batch.through > position ? batch.through : this.position;
    return { at: batch.at, through, events: toSeenEvents(batch, userId, position) };
  }

  private async readNewEvents(): Promise<void> {
    this.reading = true;
    try {
      while (this.awake && !this.isIdle) {
        this.awake = false;
        const users = new Set([...this.followers].map(({ userId }) => userId));
        const batch = await this.store.readAfter(this.feed, this.position, users, BATCH_SIZE);
        if (batch.events.length === 0) continue;
        this.awake ||= batch.events.length === BATCH_SIZE;
        this.recent = [...this.recent.filter(isFresh), batch].slice(-MAX_BATCHES);
        this.position = batch.through;
        for (const follower of this.followers) follower.wake();
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

const isFresh = ({ at }: FeedBatch): boolean => Date.now() - at < FRESH_MS;

const covers = (batch: FeedBatch, position: bigint, userId: string): boolean =>
  batch.from <= position && position < batch.through && batch.users.has(userId) && isFresh(batch);
