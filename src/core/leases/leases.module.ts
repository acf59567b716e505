import { Global, Module } from '@nestjs/common';
import { LeaseKeeper } from './lease-keeper.service.js';
import { WorkerPresence } from './worker-presence.js';

/** Rows that one process at a time works on. */
@Global()
@Module({ providers: [LeaseKeeper, WorkerPresence], exports: [LeaseKeeper, WorkerPresence] })
export class LeasesModule {}
