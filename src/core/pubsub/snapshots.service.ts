import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
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
  private readonly followers = new Set<Follower<unknown>>();
  private readonly timer = setInterval(() => this.wakeAll(), FALLBACK_INTERVAL_MS).unref();

  constructor(private readonly pubsub: PostgresPubSub) {}

  onModuleInit(): void {
    this.pubsub.onMissed(() => this.wakeAll());
  }

  async follow<T, M>(snapshot: TopicSnapshot<T, M>): Promise<SnapshotFollower<T>> {
    const subscription = await this.pubsub.subscribe<M>(snapshot.topic, (message) => {
      if (snapshot.filter(message)) follower.wake();
    });
    const follower = new SnapshotFollower<T>(snapshot, () => {
      this.pubsub.unsubscribe(subscription);
      this.followers.delete(follower);
    });
    this.followers.add(follower);
    return follower;
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    for (const follower of [...this.followers]) await follower.return();
  }

  private wakeAll(): void {
    for (const follower of this.followers) follower.wake();
  }
}
