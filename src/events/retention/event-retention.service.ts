import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { AuditSealer } from '../audit/chain/audit-sealer.service.js';
import { KeptEventsStore, type RemovalEnd } from '../kept-events.store.js';

/** The number of events removed per transaction, so that concurrent readers of the rows wait only briefly. Writers never wait. */
const BATCH = 1_000;

/** Removes the oldest events. Runs as the system. */
@Injectable()
export class EventRetentionService {
  constructor(
    private readonly kept: KeptEventsStore,
    private readonly sealer: AuditSealer,
    private readonly env: Env,
  ) {}

  /** Removes events older than EVENT_RETENTION from all feeds. */
  async prune(signal: AbortSignal): Promise<void> {
    const before = await this.kept.readTimeBefore(this.env.EVENT_RETENTION);
    const feeds = await this.kept.listWithOlder(before);
    if (feeds.length > 0) await this.sealer.sealAllCommitted(signal);
    for (const feed of feeds) await this.removeSealed(feed, { before, through: null }, signal);
  }

  /** @throws the reason of the signal when it is aborted; the next run continues */
  async remove(feed: string, end: RemovalEnd, signal: AbortSignal, onRemoved?: (some: number) => void): Promise<void> {
    await this.sealer.sealAllCommitted(signal);
    await this.removeSealed(feed, end, signal, onRemoved);
  }

  /** The audit reads events when it seals them, so they must be sealed. */
  private async removeSealed(
    feed: string,
    end: RemovalEnd,
    signal: AbortSignal,
    onRemoved?: (some: number) => void,
  ): Promise<void> {
    for (let some = BATCH; some === BATCH;) {
      signal.throwIfAborted();
      some = await this.kept.removeOldest(feed, end, BATCH);
      onRemoved?.(some);
    }
  }
}
