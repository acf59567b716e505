import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access, administeredSql } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { equalsFilter, type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';
import { RecordStore } from '../../core/records/record.store.js';
import { narrowByTimes, type TimeScope } from '../../workspaces/workspace-owned/narrow-by-times.js';
import { PERFORMANCE_TOPIC, type PerformanceNotice } from './performance-topic.js';
import { PerformanceProfile } from './profile.entity.js';

const listing: Listing<PerformanceProfile> = {
  alias: 'performance_profile',
  pageSize: 20,
  order: recordOrderColumns('performance_profile'),
  defaultOrder: 'created_at desc',
  search: ['performance_profile.name'],
  filter: { user_id: equalsFilter('user_id', 'performance_profile.user_id::text') },
};

/** SQL that ranks due profiles within each organization. */
const DUE = `SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY organization_id ORDER BY next_run_at, id) AS place FROM performance_profile
     WHERE next_run_at <= now() AND deleted_at IS NULL AND workspace_id IN (SELECT id FROM active_workspace)
  ) due WHERE place <= :mostOfOrganization`;

/** Additional filters of a list of profiles or results. */
export interface PerformanceScope {
  organizationId?: string;
  workspaceId?: string;
}

/** The encrypted content of a profile, and the revision of the profile that it is of. */
export interface SealedContent {
  content: Buffer;
  revision: number;
}

/** Stores profiles; members of the workspace may read them. */
@Injectable()
export class ProfilesStore extends RecordStore<PerformanceProfile> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
    private readonly pubsub: PostgresPubSub,
  ) {
    super(unit, PerformanceProfile, 'performance_profile');
  }

  async page(actor: Actor, scope: PerformanceScope & TimeScope, query: ListQuery): Promise<Page<PerformanceProfile>> {
    const rows = await selectInScope(this.access, this.createQueryBuilder(), 'performance_profile', actor, scope);
    narrowByTimes(rows, 'performance_profile', scope);
    return this.paginate(rows, listing, query);
  }

  /** Returns the encrypted contents of these profiles, by id, with the revisions that they are of. */
  async findContents(ids: readonly string[]): Promise<Map<string, SealedContent>> {
    const rows = await this.unit.manager.query<({ id: string } & SealedContent)[]>(
      'SELECT id, content, revision FROM performance_profile WHERE id = ANY ($1)',
      [ids],
    );
    return new Map(rows.map(({ id, ...sealed }) => [id, sealed]));
  }

  count(workspaceId: string): Promise<number> {
    return this.repository.countBy({ workspaceId });
  }

  /**
   * Locks and returns profiles whose schedule is due, until the end of the transaction; concurrent callers skip them. Limits the profiles
   * of each organization, so that one with many profiles does not delay the others.
   */
  findDue(most: number, mostOfOrganization: number): Promise<PerformanceProfile[]> {
    return this.createQueryBuilder()
      .andWhere(`performance_profile.id IN (${DUE})`, { mostOfOrganization })
      .orderBy('performance_profile.next_run_at')
      .limit(most)
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked')
      .getMany();
  }

  /** Whether a profile has this result. */
  async hasResult({ id }: PerformanceProfile, resultId: string): Promise<boolean> {
    const rows = await this.unit.manager.query<object[]>(
      `SELECT 1 FROM performance_run
        WHERE id = $2 AND profile_id = $1 AND status = 'succeeded' AND deleted_at IS NULL`,
      [id, resultId],
    );
    return rows.length > 0;
  }

  /** Counts a finished run and its results. */
  async addRun(id: string, results: number): Promise<void> {
    await this.unit.manager.query(
      `UPDATE performance_profile SET last_run = now(), total_results = total_results + $2 WHERE id = $1`,
      [id, results],
    );
  }

  /** Stores the next time of the schedule, without a new revision. */
  async reschedule(id: string, next: Date | null): Promise<void> {
    await this.unit.manager.query('UPDATE performance_profile SET next_run_at = $2 WHERE id = $1', [id, next]);
  }

  /** Hides all profiles of a deleted workspace. */
  async softDeleteByWorkspace(workspaceId: string, at: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE performance_profile SET deleted_at = $2, updated_at = now(), revision = revision + 1
        WHERE workspace_id = $1 AND deleted_at IS NULL`,
      [workspaceId, at],
    );
  }

  /** Restores the profiles that were hidden with their workspace. */
  async restoreByWorkspace(workspaceId: string, deletedAt: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE performance_profile SET deleted_at = NULL, updated_at = now(), revision = revision + 1
        WHERE workspace_id = $1 AND deleted_at = $2`,
      [workspaceId, deletedAt],
    );
  }

  /** Notifies subscribers of a change in an organization, at the commit of the surrounding transaction. */
  notify({ organizationId }: PerformanceNotice): Promise<void> {
    return this.pubsub.publish(PERFORMANCE_TOPIC, { organizationId } satisfies PerformanceNotice);
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<PerformanceProfile> {
    return onlyVisible(this.createQueryBuilder(), 'performance_profile', actor);
  }
}

/** SQL of the profiles in workspaces that an actor may see. */
export function onlyVisible<E extends { workspaceId: string }>(
  rows: SelectQueryBuilder<E>,
  table: string,
  actor: Actor,
): SelectQueryBuilder<E> {
  if (actor.isSystem) return rows;
  const granted = `${table}.workspace_id IN (SELECT granted_resources(:actorId, 'workspace'))`;
  return rows.andWhere(`(${administeredSql(table, ':actorId')} OR ${granted})`, { actorId: actor.userId });
}

/** Like above, for one organization: the one of the list, or the only one of the actor. */
export async function selectInScope<E extends { workspaceId: string }>(
  access: Access,
  rows: SelectQueryBuilder<E>,
  table: string,
  actor: Actor,
  { workspaceId, organizationId: named }: PerformanceScope,
): Promise<SelectQueryBuilder<E>> {
  const organizationId = named ?? (workspaceId ? undefined : await access.findOnlyOrganization(actor));
  if (workspaceId) rows.andWhere(`${table}.workspace_id = :workspaceId`, { workspaceId });
  return organizationId
    ? (await access.onlyVisibleIn(rows, table, 'workspace', actor, organizationId, { column: 'workspace_id' })).rows
    : onlyVisible(rows, table, actor);
}
