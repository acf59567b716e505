import { setTimeout as sleep } from 'node:timers/promises';
import { retryDuringOutage } from '../../core/database/database-outage.js';
import type { BaseEntity } from '../../core/database/base.entity.js';
import type { Page } from '../../core/listing/page.js';
import type { Design } from '../../designs/design.entity.js';
import type { Filter } from '../filter.entity.js';

/** The two pages that one subscriber follows, as the subscriber may see them at one moment. */
export interface ConfigurationPages {
  patterns: Page<Design>;
  filters: Page<Filter>;
}

/** What one reading of the pages gave, and whose changes may make another one necessary. */
export interface ConfigurationSnapshot {
  pages: ConfigurationPages;
  organizations: ReadonlySet<string>;
}

/** A subscriber is told at most four times a second: what changes meanwhile is told together. */
const MIN_INTERVAL_MS = 250;

/**
 * The pages of one subscriber: at once, then whenever they are no longer as they were told. They are read when the
 * subscriber takes them, so that who does not read holds nothing, and nobody is told what they may not see any more.
 */
export class ConfigurationFollower implements AsyncIterableIterator<ConfigurationPages> {
  private organizations: ReadonlySet<string> = new Set();
  private lastSent = '';
  private readAt = -Infinity;
  private hasChanges = true;
  private ended = false;
  private resume?: () => void;

  /** @param leave called once, when nothing more is wanted */
  constructor(
    private readonly read: () => Promise<ConfigurationSnapshot>,
    private readonly leave: (follower: ConfigurationFollower) => void,
  ) {}

  /** Whether the pages may have records of this organization. */
  follows(organizationId: string): boolean {
    return this.organizations.has(organizationId);
  }

  /** Says that the pages may be others now. */
  wake(): void {
    this.hasChanges = true;
    this.resume?.();
  }

  /** @throws what reading the pages throws, and ends then */
  async next(): Promise<IteratorResult<ConfigurationPages, undefined>> {
    while (!this.ended) {
      if (!this.hasChanges) await new Promise<void>((resolve) => (this.resume = resolve));
      await this.throttle();
      if (this.ended) break;
      const pages = await this.readChangedPages();
      if (pages) return { done: false, value: pages };
    }
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<ConfigurationPages, undefined>> {
    if (!this.ended) {
      this.ended = true;
      this.leave(this);
      this.wake();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private async throttle(): Promise<void> {
    const left = this.readAt + MIN_INTERVAL_MS - performance.now();
    if (left > 0) await sleep(left);
  }

  /** The pages, unless they are as they were told. */
  private async readChangedPages(): Promise<ConfigurationPages | null> {
    this.hasChanges = false;
    const reading = await retryDuringOutage(this.read, () => !this.ended).catch((error: unknown) => this.fail(error));
    if (!reading) return null;
    const { pages, organizations } = reading;
    this.readAt = performance.now();
    this.organizations = organizations;
    const now = JSON.stringify([pageFingerprint(pages.patterns), pageFingerprint(pages.filters)]);
    if (now === this.lastSent) return null;
    this.lastSent = now;
    return pages;
  }

  private async fail(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }
}

/** What two readings of a page are compared by: every change of a record counts up its revision. */
const pageFingerprint = ({ total, items }: Page<BaseEntity>): unknown[] => [
  total,
  ...items.map(({ id, revision }) => [id, revision]),
];
