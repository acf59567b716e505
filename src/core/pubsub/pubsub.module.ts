import { Global, Module } from '@nestjs/common';
import { PostgresPubSub } from './postgres-pubsub.js';
import { RedisChannel } from './redis-channel.js';
import { SnapshotsService } from './snapshots.service.js';

/** Provides subscriptions: topics over PostgreSQL notifications and Redis, and snapshots that follow them. */
@Global()
@Module({
  providers: [PostgresPubSub, RedisChannel, SnapshotsService],
  exports: [PostgresPubSub, RedisChannel, SnapshotsService],
})
export class PubSubModule {}
