import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { BaseEntity } from '../../core/database/base.entity.js';
import { Forbidden } from '../../core/errors/app-error.js';
import type { Page } from '../../core/listing/page.js';
import type { SnapshotFollower } from '../../core/pubsub/snapshot-follower.js';
import { SnapshotsService } from '../../core/pubsub/snapshots.service.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import type { PerformanceProfile } from '../profiles/profile.entity.js';
import type { PerformanceRun } from '../runs/run.entity.js';
import { PERFORMANCE_TOPIC, type PerformanceNotice } from '../profiles/performance-topic.js';

/** Subscriptions to pages of profiles and results, updated after changes on any replica. */
@Injectable()
export class PerformanceFeedService {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly snapshots: SnapshotsService,
  ) {}

  followProfiles(
    actor: Actor,
    read: () => Promise<Page<PerformanceProfile>>,
  ): Promise<SnapshotFollower<Page<PerformanceProfile>>> {
    return this.follow(actor, read, ({ id, revision, totalResults, lastRun }) => [id, revision, totalResults, lastRun]);
  }

  followRuns(actor: Actor, read: () => Promise<Page<PerformanceRun>>): Promise<SnapshotFollower<Page<PerformanceRun>>> {
    return this.follow(actor, read, ({ id, revision, progress }) => [id, revision, progress?.seconds]);
  }

  /** Reads with the current rights of the subscriber. @throws the error of the first read */
  private async follow<E extends BaseEntity>(
    actor: Actor,
    read: () => Promise<Page<E>>,
    fingerprintOf: (record: E) => unknown[],
  ): Promise<SnapshotFollower<Page<E>>> {
    const { userId } = actor;
    if (!userId) throw new Forbidden('only users follow performance tests', { remedy: 'Use a token of a user.' });
    let organizations: ReadonlySet<string> = new Set();
    const readAgain = async (): Promise<Page<E>> => {
      organizations = new Set((await this.organizations.listByMember(userId)).map(({ id }) => id));
      return read();
    };
    await readAgain();
    return this.snapshots.follow({
      topic: PERFORMANCE_TOPIC,
      filter: ({ organizationId }: PerformanceNotice) => organizations.has(organizationId),
      read: readAgain,
      fingerprint: ({ total, items }) => JSON.stringify([total, ...items.map(fingerprintOf)]),
    });
  }
}
