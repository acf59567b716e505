import { Injectable } from '@nestjs/common';
import { type EventNotification, EVENTS_TOPIC } from '../core/events/event-notification.js';
import type { SnapshotFollower } from '../core/pubsub/snapshot-follower.js';
import { SnapshotsService } from '../core/pubsub/snapshots.service.js';
import { type NamedCount, RegistrySummaryStore } from './registry-summary.store.js';

export interface RegistryCounts {
  components: NamedCount[] | null;
  relationships: NamedCount[] | null;
}

/** The summary of the registry, updated when it changes on any replica. */
@Injectable()
export class RegistrySummaryFeedService {
  constructor(
    private readonly summaries: RegistrySummaryStore,
    private readonly snapshots: SnapshotsService,
  ) {}

  /** @param type components, relationships or all */
  async getCounts(type: string): Promise<RegistryCounts> {
    return {
      components: type === 'relationships' ? null : await this.summaries.countComponents(),
      relationships: type === 'components' ? null : await this.summaries.countRelationships(),
    };
  }

  follow(type: string): Promise<SnapshotFollower<RegistryCounts>> {
    return this.snapshots.follow({
      topic: EVENTS_TOPIC,
      filter: ({ category }: EventNotification) => category === 'registry',
      read: () => this.getCounts(type),
      fingerprint: JSON.stringify,
    });
  }
}
