import { Global, Module } from '@nestjs/common';
import { PostgresPubSub } from './postgres-pubsub.js';
import { SnapshotsService } from './snapshots.service.js';

/** Subscriptions: topics on the notifications of PostgreSQL, and the snapshots that follow them. */
@Global()
@Module({ providers: [PostgresPubSub, SnapshotsService], exports: [PostgresPubSub, SnapshotsService] })
export class PubSubModule {}
