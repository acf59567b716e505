import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { toJsonb } from '../../core/json/jsonb.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { equalsFilter, type Listing, recordOrderColumns, wordFilter } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';
import { RecordStore } from '../../core/records/record.store.js';
import { narrowByTimes, type TimeScope } from '../../workspaces/workspace-owned/narrow-by-times.js';
import { PERFORMANCE_TOPIC } from '../profiles/performance-topic.js';
import type { Measurement } from '../load/measurement.js';
import { onlyVisible, type PerformanceScope, selectInScope } from '../profiles/profiles.store.js';
import { RUN_STATUSES, type RunStatus } from '../profiles/run-status.js';
import { PerformanceRun, RUN_TRIGGERS, type RunProgress } from './run.entity.js';
import type { ServerMetrics } from './server-metrics.js';

const listing: Listing<PerformanceRun> = {
  alias: 'performance_run',
  pageSize: 20,
  order: {
    ...recordOrderColumns('performance_run'),
    test_start_time: {
      sql: 'coalesce(performance_run.test_start_time, performance_run.created_at)',
      type: 'timestamptz',
      getValue: ({ testStartTime, createdAt }) => testStartTime ?? createdAt,
    },
  },
  defaultOrder: 'created_at desc',
  search: ['performance_run.name'],
  filter: {
    status: wordFilter('status', 'performance_run.status', RUN_STATUSES),
    trigger: wordFilter('trigger', 'performance_run.trigger', RUN_TRIGGERS),
    profile_id: equalsFilter('profile_id', 'performance_run.profile_id::text'),
  },
};

/** What narrows a list of runs beside the query that every list has. */
export interface RunScope extends PerformanceScope, TimeScope {
  profileId?: string;
  statuses?: readonly RunStatus[];
}

/** What of a run is read only when it is asked for. */
export interface RunDetails {
  measurement: Measurement | null;
  serverMetrics: ServerMetrics | null;
}

/** Unfinished runs, of one organization and in all. */
export interface RunCounts {
  organization: number;
  all: number;
}

/** Runs as the members of their workspace see them. */
@Injectable()
export class RunsStore extends RecordStore<PerformanceRun> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, PerformanceRun, 'performance_run');
  }

  async page(actor: Actor, scope: RunScope, query: ListQuery): Promise<Page<PerformanceRun>> {
    const rows = this.createQueryBuilder();
    const { profileId, statuses, ...place } = scope;
    // A profile is of one organization: it needs no other bound.
    if (profileId) onlyVisible(rows, 'performance_run', actor);
    else await selectInScope(this.access, rows, 'performance_run', actor, place);
    if (profileId) rows.andWhere('performance_run.profile_id = :profileId', { profileId });
    if (statuses) rows.andWhere('performance_run.status = ANY (:statuses)', { statuses });
    narrowByTimes(rows, 'performance_run', scope);
    return this.paginate(rows, listing, query);
  }

  /** Of runs that their reader was found to see. */
  async findDetails(ids: readonly string[]): Promise<Map<string, RunDetails>> {
    const rows = await this.unit.manager.query<({ id: string } & RunDetails)[]>(
      `SELECT id, measurement, server_metrics AS "serverMetrics" FROM performance_run WHERE id = ANY ($1)`,
      [ids],
    );
    return new Map(rows.map(({ id, ...details }) => [id, details]));
  }

  /** Of runs that their reader was found to see, without what was measured. */
  async findServerMetrics(ids: readonly string[]): Promise<Map<string, ServerMetrics | null>> {
    const rows = await this.unit.manager.query<{ id: string; metrics: ServerMetrics | null }[]>(
      `SELECT id, server_metrics AS metrics FROM performance_run WHERE id = ANY ($1)`,
      [ids],
    );
    return new Map(rows.map(({ id, metrics }) => [id, metrics]));
  }

  /** Counts what has not ended; until the end of the transaction nobody else who counts does so. */
  async countUnfinished(organizationId: string): Promise<RunCounts> {
    await this.unit.manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('performance runs', 0))`);
    const [counts] = await this.unit.manager.query<[RunCounts]>(
      `SELECT count(*)::int AS "all", (count(*) FILTER (WHERE organization_id = $1))::int AS organization
         FROM performance_run WHERE finished_at IS NULL`,
      [organizationId],
    );
    return counts;
  }

  async hasUnfinished(profileId: string): Promise<boolean> {
    return (await this.findUnfinished('profile_id', profileId)).length > 0;
  }

  async findUnfinished(column: 'profile_id' | 'workspace_id', id: string): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT id FROM performance_run WHERE ${column} = $1 AND finished_at IS NULL`,
      [id],
    );
    return rows.map(({ id: run }) => run);
  }

  /** Keeps how far a run has come, and lets subscribers know. */
  async saveProgress({ id, organizationId }: PerformanceRun, progress: RunProgress): Promise<void> {
    const notice = PostgresPubSub.publishSql(PERFORMANCE_TOPIC, `json_build_object('organizationId', $3::text)`);
    await this.unit.manager.query(
      `WITH saved AS (UPDATE performance_run SET progress = $2 WHERE id = $1 AND status = 'running' RETURNING id)
       SELECT ${notice} FROM saved`,
      [id, toJsonb(progress), organizationId],
    );
  }

  /** Keeps what was measured so far, for a run that does not reach its end. */
  async saveMeasurement(
    { id, testStartTime }: PerformanceRun,
    { measurement, summary }: Pick<PerformanceRun, 'measurement' | 'summary'>,
  ): Promise<void> {
    // A run that another server has begun anew has another start.
    await this.unit.manager.query(
      `UPDATE performance_run SET measurement = $2, summary = $3
        WHERE id = $1 AND finished_at IS NULL AND test_start_time = $4`,
      [id, toJsonb(measurement), toJsonb(summary), testStartTime],
    );
  }

  /** Finds the result of the last good run of a profile before another run: one with a successful response that kept its budget, if it had one. */
  async findLastGood({ id, profileId }: PerformanceRun): Promise<string | undefined> {
    const [row] = await this.unit.manager.query<{ id: string }[]>(
      `SELECT id FROM performance_run
        WHERE profile_id = $1 AND status = 'succeeded' AND id < $2 AND deleted_at IS NULL
          AND (summary ->> 'successful')::bigint > 0 AND coalesce((budget ->> 'passed')::boolean, true)
        ORDER BY created_at DESC, id DESC LIMIT 1`,
      [profileId, id],
    );
    return row?.id;
  }

  /** Hides the runs of a profile or a workspace with it. */
  async softDeleteBy(column: 'profile_id' | 'workspace_id', id: string, at: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE performance_run SET deleted_at = $2, updated_at = now(), revision = revision + 1
        WHERE ${column} = $1 AND deleted_at IS NULL`,
      [id, at],
    );
  }

  /** Brings back the runs that were hidden with their workspace. */
  async restoreByWorkspace(workspaceId: string, deletedAt: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE performance_run SET deleted_at = NULL, updated_at = now(), revision = revision + 1
        WHERE workspace_id = $1 AND deleted_at = $2`,
      [workspaceId, deletedAt],
    );
  }

  /** Forgets the oldest runs of a profile beyond so many, except its baseline. @returns how many results were among them */
  async purge(profileId: string, kept: number): Promise<number> {
    const [rows] = await this.unit.manager.query<[{ status: string }[], number]>(
      `DELETE FROM performance_run WHERE id IN (
         SELECT id FROM performance_run WHERE profile_id = $1 AND finished_at IS NOT NULL
          ORDER BY created_at DESC, id DESC OFFSET $2)
         AND id IS DISTINCT FROM (SELECT baseline_id FROM performance_profile WHERE id = $1) RETURNING status`,
      [profileId, kept],
    );
    return rows.filter(({ status }) => status === 'succeeded').length;
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<PerformanceRun> {
    return onlyVisible(this.createQueryBuilder(), 'performance_run', actor);
  }
}
