import { Logger } from '@nestjs/common';
import { backoff } from '../../../core/backoff.js';
import { isOutage } from '../../../core/database/outage.js';
import type { SeenEvent } from '../event.entity.js';
import { type Batch, type FeedStore, seenBy } from '../feed.store.js';
import type { Follower } from './follower.js';

/** How long it holds that someone may read an event; after that it is asked again before the event is given to them. */
export const FRESH_MS = 1_000;
const BATCH = 200;
const KEPT_BATCHES = 20;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** What one follower gets next of a feed, and up to which number it goes. */
export interface Passage {
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
  private readonly followers = new Set<Follower>();
  private recent: Batch[] = [];
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

  get isDeserted(): boolean {
    return this.followers.size === 0;
  }

  add(follower: Follower): void {
    this.followers.add(follower);
  }

  remove(follower: Follower): void {
    this.followers.delete(follower);
  }

  /** Says that there may be something new. */
  wake(): void {
    this.awake = true;
    if (!this.reading) void this.read();
  }

  /** What comes after a position for a user; null when there is nothing yet, and the follower is woken when there is. */
  async after(position: bigint, userId: string): Promise<Passage | null> {
    if (position >= this.position) return null;
    const batch =
      this.recent.find((each) => covers(each, position, userId)) ??
      (await this.store.after(this.feed, position, new Set([userId]), BATCH));
    const through = batch.through > position ? batch.through : this.position;
    return { at: batch.at, through, events: seenBy(batch, userId, position) };
  }

  private async read(): Promise<void> {
    this.reading = true;
    try {
      while (this.awake && !this.isDeserted) {
        this.awake = false;
        const users = new Set([...this.followers].map(({ userId }) => userId));
        const batch = await this.store.after(this.feed, this.position, users, BATCH);
        if (batch.events.length === 0) continue;
        this.awake ||= batch.events.length === BATCH;
        this.recent = [...this.recent.filter(isFresh), batch].slice(-KEPT_BATCHES);
        this.position = batch.through;
        for (const follower of this.followers) follower.wake();
      }
      this.failures = 0;
    } catch (error) {
      if (!isOutage(error)) this.logger.warn(`reading the feed ${this.feed} failed, trying again: ${String(error)}`);
      this.tryAgain();
    } finally {
      this.reading = false;
    }
  }

  private tryAgain(): void {
    this.failures++;
    this.retry ??= setTimeout(
      () => {
        this.retry = null;
        this.wake();
      },
      backoff(this.failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS),
    ).unref();
  }
}

const isFresh = ({ at }: Batch): boolean => Date.now() - at < FRESH_MS;

const covers = (batch: Batch, position: bigint, userId: string): boolean =>
  batch.from <= position && position < batch.through && batch.users.has(userId) && isFresh(batch);
