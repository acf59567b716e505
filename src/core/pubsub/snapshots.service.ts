import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { withFilter } from 'graphql-subscriptions';
import type { Follower } from './follower.js';
import { PostgresPubSub } from './postgres-pubsub.js';
import { SnapshotFollower, type SnapshotSource } from './snapshot-follower.js';

/** The interval of reads without a message, in case messages were lost undetected, as on a half-open connection. */
const FALLBACK_INTERVAL_MS = 15_000;

/** A snapshot that is read again after messages of a topic. */
export interface TopicSnapshot<T, M> extends SnapshotSource<T> {
  topic: string;
  /** Reports whether a message may have changed the snapshot. */
  filter: (message: M) => boolean;
}

/** Provides subscriptions to snapshots, which are read again after each message that passes the filter. */
@Injectable()
export class SnapshotsService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Subscriptions');
  private readonly followers = new Set<Follower<unknown>>();
  private readonly timer = setInterval(() => this.wakeAll(), FALLBACK_INTERVAL_MS).unref();

  constructor(private readonly pubsub: PostgresPubSub) {}

  onModuleInit(): void {
    this.pubsub.onMissed(() => this.wakeAll());
  }

  async follow<T, M extends object>(snapshot: TopicSnapshot<T, M>): Promise<SnapshotFollower<T>> {
    const { topic, filter } = snapshot;
    const subscribe = withFilter<M>(
      () => this.pubsub.asyncIterableIterator<M>(topic),
      (message) => message !== undefined && filter(message),
    );
    const changes = await subscribe();
    const follower = new SnapshotFollower<T>(snapshot, () => {
      this.followers.delete(follower);
      void changes.return?.();
    });
    this.followers.add(follower);
    void this.wakeOnEach(changes, follower);
    return follower;
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    for (const follower of [...this.followers]) await follower.return();
  }

  /** Takes each message at once, so that none waits for a slow subscriber; changes in between are combined. */
  private async wakeOnEach(changes: AsyncIterable<unknown>, follower: Follower<unknown>): Promise<void> {
    try {
      for await (const _ of changes) follower.wake();
    } catch (error) {
      this.logger.warn(error, 'messages of a subscription could not be read; it is read again at intervals');
    }
  }

  private wakeAll(): void {
    for (const follower of this.followers) follower.wake();
  }
}
