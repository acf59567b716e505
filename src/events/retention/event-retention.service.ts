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
    for (const feed of await this.kept.listWithOlder(before))
      await this.remove(feed, { before, through: null }, signal);
  }

  /** Seals the audit first, because sealing reads the events. @throws the reason of the signal when it is aborted; the next run continues */
  async remove(feed: string, end: RemovalEnd, signal: AbortSignal, onRemoved?: (some: number) => void): Promise<void> {
    await this.sealer.sealAllCommitted(signal);
    for (let some = BATCH; some === BATCH;) {
      signal.throwIfAborted();
      some = await this.kept.removeOldest(feed, end, BATCH);
      onRemoved?.(some);
    }
  }
}
