import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { PAUSE_JITTER, PAUSE_SHARE, type WebhookSettings } from './webhook-settings.js';

export interface WorkingEndpoint {
  id: string;
  /** Its last response was slow. */
  slow: boolean;
}

/** The state of an endpoint after a failure. */
export interface FailureState {
  id: string;
  /** A user disabled it meanwhile: its events wait until it is enabled again. */
  suspended: boolean;
  /** It has been failing so long that its owner is notified, or it is disabled. */
  late: boolean;
}

export interface FailingEndpoint {
  id: string;
  /** The delay of its `Retry-After`, otherwise 0. */
  askedMs: number;
  /** An attempt succeeded before this failure, so that the failing period starts anew. */
  hasWorked: boolean;
}

type Times = Pick<
  WebhookSettings,
  'minPauseMs' | 'maxPauseMs' | 'maxAskedPauseMs' | 'noticeAfterMs' | 'disableAfterMs'
>;

/** Stores since when endpoints have been failing, and their pauses. Queries run as the system, in the open unit of work. */
@Injectable()
export class EndpointHealthStore {
  constructor(private readonly unit: UnitOfWork) {}

  async recordWorking(endpoints: WorkingEndpoint[]): Promise<void> {
    const ids = endpoints.map(({ id }) => id);
    await this.unit.manager.query(
      `WITH works AS (SELECT * FROM unnest($1::uuid[], $2::boolean[]) AS w (id, slow)),
       locked AS (
         SELECT webhook.id, works.slow FROM webhook JOIN works USING (id) ORDER BY webhook.id FOR NO KEY UPDATE OF webhook)
       UPDATE webhook SET failing_since = NULL, noticed_at = NULL, slow = locked.slow FROM locked WHERE webhook.id = locked.id`,
      [ids, endpoints.map(({ slow }) => slow)],
    );
    await this.unit.manager.query('DELETE FROM webhook_pause WHERE webhook_id = ANY ($1)', [ids]);
  }

  /**
   * Pauses failing endpoints, for as long as they have been failing within limits, or as `Retry-After` requires, and defers their events.
   * @returns all endpoints except those that are deleted or disabled by the server
   */
  async recordFailing(endpoints: FailingEndpoint[], times: Times): Promise<FailureState[]> {
    return this.unit.manager.query(
      `WITH failed AS (SELECT * FROM unnest($1::uuid[], $2::float8[], $3::boolean[]) AS f (id, asked_ms, has_worked)),
       locked AS (
         SELECT webhook.id, webhook.organization_id, webhook.enabled, webhook.disabled_reason, failed.asked_ms,
                CASE WHEN NOT failed.has_worked THEN webhook.failing_since END AS since,
                CASE WHEN NOT failed.has_worked THEN webhook.noticed_at END AS noticed_at
           FROM webhook JOIN failed USING (id) WHERE webhook.deleted_at IS NULL
          ORDER BY webhook.id FOR NO KEY UPDATE OF webhook),
       judged AS MATERIALIZED (
         SELECT *, coalesce(extract(epoch FROM now() - since) * 1000, 0)::float8 AS failing_ms FROM locked WHERE enabled),
       paused AS (
         INSERT INTO webhook_pause (webhook_id, organization_id, until)
         SELECT id, organization_id, now() + interval '1 millisecond' * greatest(
                  least($5::float8, greatest($4::float8, failing_ms * ${PAUSE_SHARE})) * (1 + random() * ${PAUSE_JITTER}), least($6::float8, asked_ms))
           FROM judged ORDER BY id
         ON CONFLICT (webhook_id) DO UPDATE SET until = excluded.until),
       deferred AS (
         INSERT INTO webhook_deferral (webhook_id, organization_id, after)
         SELECT judged.id, judged.organization_id, feed.position FROM judged JOIN webhook_feed feed USING (organization_id) ORDER BY judged.id
         ON CONFLICT (webhook_id) DO NOTHING),
       begun AS (
         UPDATE webhook SET failing_since = now(), noticed_at = NULL FROM judged WHERE webhook.id = judged.id AND judged.since IS NULL)
       SELECT id, false AS suspended, failing_ms > CASE WHEN noticed_at IS NULL THEN $7::float8 ELSE $8::float8 END AS late FROM judged
        UNION ALL SELECT id, true, false FROM locked WHERE NOT enabled AND disabled_reason IS NULL`,
      [
        endpoints.map(({ id }) => id),
        endpoints.map(({ askedMs }) => askedMs),
        endpoints.map(({ hasWorked }) => hasWorked),
        ...[times.minPauseMs, times.maxPauseMs, times.maxAskedPauseMs, times.noticeAfterMs, times.disableAfterMs],
      ],
    );
  }

  /** Records that the owner was notified of the failures. */
  async recordNotice(id: string): Promise<void> {
    await this.unit.manager.query('UPDATE webhook SET noticed_at = now() WHERE id = $1', [id]);
  }
}
