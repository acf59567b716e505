import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { AuditSealer } from '../audit/chain/audit-sealer.service.js';
import { KeptEventsStore, type RemovalEnd } from '../kept-events.store.js';

/** A transaction of its own each, so that what reads the same rows waits for a moment only. Writers append, and never wait. */
const BATCH = 1_000;

/** Removes the oldest events. As the system. */
@Injectable()
export class EventRetentionService {
  constructor(
    private readonly kept: KeptEventsStore,
    private readonly sealer: AuditSealer,
    private readonly env: Env,
  ) {}

  /** What is older than EVENT_RETENTION, of every feed. */
  async prune(signal: AbortSignal): Promise<void> {
    const before = await this.kept.readTimeBefore(this.env.EVENT_RETENTION);
    for (const feed of await this.kept.listWithOlder(before))
      await this.remove(feed, { before, through: null }, signal);
  }

  /** The audit reads events as long as it has not sealed them. @throws what the signal was aborted with; another run goes on from there */
  async remove(feed: string, end: RemovalEnd, signal: AbortSignal, onRemoved?: (some: number) => void): Promise<void> {
    await this.sealer.sealAllCommitted(signal);
    for (let some = BATCH; some === BATCH;) {
      signal.throwIfAborted();
      some = await this.kept.removeOldest(feed, end, BATCH);
      onRemoved?.(some);
    }
  }
}
