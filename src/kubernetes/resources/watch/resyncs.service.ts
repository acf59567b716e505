import { Injectable } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { runAsSystem } from '../../../core/database/row-security.js';
import type { OpenCluster } from '../../middleware/open-clusters.service.js';
import type { ClusterStatus } from '../../status.enum.js';
import { type ReSyncActions, toResync } from '../cluster-resource.graphql.js';
import { assertWatching } from './assert-watching.js';
import { ClusterWatchesService } from './cluster-watches.service.js';
import { ClusterWatchesStore } from './cluster-watches.store.js';

/** Requests resyncs of watches. */
@Injectable()
export class ResyncsService {
  constructor(
    private readonly store: ClusterWatchesStore,
    private readonly watches: ClusterWatchesService,
    private readonly env: Env,
  ) {}

  /** The replica that watches a cluster executes it at the next heartbeat. @throws Conflict WATCH_DISABLED */
  async request(clusters: OpenCluster[], actions: ReSyncActions | null | undefined): Promise<ClusterStatus> {
    this.assertWatching();
    const resync = actions ? toResync(actions) : 'list';
    if (!resync) return 'UNKNOWN';
    for (const { connection } of clusters)
      await runAsSystem('a resync of a cluster', () => this.store.requestResync(connection.id, resync));
    this.watches.wake();
    return 'PROCESSING';
  }

  /** @throws Conflict WATCH_DISABLED */
  assertWatching(): void {
    assertWatching(this.env);
  }
}
