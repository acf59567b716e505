import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import { feedColumn } from '../../feed.store.js';
import { type MailFrequency, OWNER_CATEGORIES } from '../notification-preferences.js';
import { type MailClaim, NotificationMail } from './notification-mail.entity.js';

/** The key of a user's next mail. */
export interface MailKey {
  userId: string;
  frequency: MailFrequency;
}

export interface DueMail extends MailKey {
  dueAt: Date;
  email: string;
}

const BATCH_SIZE = 1_000;
/** The age of the first events that are processed for an organization that was never processed. */
const FIRST_LOOK = `interval '1 hour'`;
const EMAIL_SQL = '(SELECT email FROM app_user WHERE id = kept.user_id)';
const seconds = (ms: number): number => ms / 1_000;

/** Stores when the next mail to each user is due, and its claim. */
@Injectable()
export class NotificationMailsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Schedules the next digest of a user. A mail that is being sent keeps its time. */
  async scheduleDigest({ userId, frequency }: MailKey, dueAt: Date): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO notification_mail AS kept (user_id, frequency, due_at) VALUES ($1, $2, $3)
       ON CONFLICT (user_id, frequency) DO UPDATE SET
         due_at = CASE WHEN kept.claim IS NULL THEN excluded.due_at ELSE kept.due_at END`,
      [userId, frequency, dueAt],
    );
  }

  /** Starts immediate mails now: earlier events are not mailed. */
  async restart({ userId, frequency }: MailKey): Promise<void> {
    await this.unit.manager.query(
      `UPDATE notification_mail SET started_at = now() WHERE user_id = $1 AND frequency = $2 AND due_at IS NULL`,
      [userId, frequency],
    );
  }

  async stop({ userId, frequency }: MailKey): Promise<void> {
    await this.unit.manager.query('DELETE FROM notification_mail WHERE user_id = $1 AND frequency = $2', [
      userId,
      frequency,
    ]);
  }

  listDue(): Promise<DueMail[]> {
    return this.unit.manager.query(
      `SELECT user_id AS "userId", frequency, due_at AS "dueAt", ${EMAIL_SQL} FROM notification_mail AS kept
        WHERE due_at <= now() ORDER BY due_at LIMIT ${BATCH_SIZE}`,
    );
  }

  /** Lists the categories for which any user gets immediate mail. */
  async listRealtimeCategories(): Promise<string[]> {
    const rows = await this.unit.manager.query<{ category: string }[]>(
      `SELECT DISTINCT unnest(realtime) AS category FROM notification_settings WHERE realtime <> '{}'::text[]`,
    );
    return [...rows.map(({ category }) => category), ...OWNER_CATEGORIES];
  }

  /** Lists the organizations with events that were not processed for mail. */
  async listBehind(): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT organization.id FROM event_counter counter JOIN organization ON organization.id = counter.feed
         LEFT JOIN notification_feed feed ON feed.organization_id = counter.feed
        WHERE counter.last > coalesce(feed.position, -1)`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Processes the next events of an organization and schedules immediate mail to their subscribers, in the open unit of work, so that a
   * crash skips no event. Rights are checked when the mail is composed.
   * @returns the scheduled mails, and whether there may be more events
   */
  async requestNext(
    organizationId: string,
    { settleMs, intervalMs }: { settleMs: number; intervalMs: number },
  ): Promise<{ due: DueMail[]; more: boolean }> {
    await this.unit.manager.query(
      `INSERT INTO notification_feed (organization_id, position)
       SELECT $1, coalesce(
         (SELECT min(sequence) - 1 FROM event WHERE organization_id = $1 AND created_at > now() - ${FIRST_LOOK}),
         (SELECT last FROM event_counter WHERE feed = $1), 0)
        WHERE NOT EXISTS (SELECT FROM notification_feed WHERE organization_id = $1)
       ON CONFLICT DO NOTHING`,
      [organizationId],
    );
    const [feed] = await this.unit.manager.query<[{ position: string }]>(
      'SELECT position FROM notification_feed WHERE organization_id = $1 FOR UPDATE',
      [organizationId],
    );
    const [end] = await this.unit.manager.query<[{ last: string }]>('SELECT last FROM event_counter WHERE feed = $1', [
      organizationId,
    ]);
    const after = BigInt(feed.position);
    const last = BigInt(end.last);
    const through = last - after > BigInt(BATCH_SIZE) ? after + BigInt(BATCH_SIZE) : last;
    const due = await this.unit.manager.query<DueMail[]>(
      `WITH batch AS MATERIALIZED (
         SELECT * FROM event WHERE ${feedColumn('event')} = $1 AND sequence > $2 AND sequence <= $3
            AND created_at > now() - interval '1 day'
       ), recipients AS (
         SELECT wish.user_id, batch.created_at FROM batch
           JOIN notification_settings wish ON wish.realtime <> '{}'::text[] AND batch.category = ANY (wish.realtime)
            AND (batch.user_id IS DISTINCT FROM wish.user_id OR batch.system_actor IS NOT NULL)
            AND (batch.workspace_id IS NULL OR batch.workspace_id <> ALL (wish.muted_workspaces))
           JOIN organization_member member ON member.organization_id = $1 AND member.user_id = wish.user_id
         UNION ALL
         SELECT member.user_id, batch.created_at FROM batch
           JOIN organization_member member ON member.organization_id = $1 AND member.user_id::text = batch.metadata ->> 'owner'
          WHERE batch.category = ANY ($4)
            AND (batch.user_id IS DISTINCT FROM member.user_id OR batch.system_actor IS NOT NULL)
       ), moved AS (
         UPDATE notification_feed SET position = $3 WHERE organization_id = $1
       )
       INSERT INTO notification_mail AS kept (user_id, frequency, started_at, due_at, requested_at)
       SELECT user_id, 'realtime', min(created_at), now() + make_interval(secs => $5), clock_timestamp()
         FROM recipients GROUP BY user_id ORDER BY user_id
       ON CONFLICT (user_id, frequency) DO UPDATE SET requested_at = clock_timestamp(),
         due_at = CASE WHEN kept.claim IS NOT NULL THEN kept.due_at
                  ELSE least(kept.due_at, greatest(excluded.due_at, kept.sent_at + make_interval(secs => $6))) END
       RETURNING user_id AS "userId", frequency, due_at AS "dueAt", ${EMAIL_SQL}`,
      [organizationId, after.toString(), through.toString(), OWNER_CATEGORIES, seconds(settleMs), seconds(intervalMs)],
    );
    return { due, more: through < last };
  }

  /** Locks and returns the mail if it is due. */
  lockDue({ userId, frequency }: MailKey): Promise<NotificationMail | null> {
    return this.unit.manager
      .getRepository(NotificationMail)
      .createQueryBuilder('mail')
      .where('mail.userId = :userId AND mail.frequency = :frequency AND mail.dueAt <= now()', { userId, frequency })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Stores the claim, which prevents other processes from sending the mail until it expires. */
  async claim({ userId, frequency }: MailKey, claim: MailClaim, forMs: number): Promise<void> {
    await this.unit.manager.query(
      `UPDATE notification_mail SET claim = $3, claimed_at = coalesce(claimed_at, clock_timestamp()),
         due_at = now() + make_interval(secs => $4) WHERE user_id = $1 AND frequency = $2`,
      [userId, frequency, toJsonb(claim), seconds(forMs)],
    );
  }

  /** Completes a claimed mail: its events count as mailed. Without `nextAt` another mail is due if new events arrived meanwhile. */
  async finish(
    { userId, frequency }: MailKey,
    claim: MailClaim,
    { sent, nextAt, intervalMs }: { sent: boolean; nextAt: Date | null; intervalMs: number },
  ): Promise<void> {
    const through = Object.fromEntries(Object.entries(claim.windows).map(([feed, [, last]]) => [feed, last]));
    await this.unit.manager.query(
      `UPDATE notification_mail SET claim = NULL, claimed_at = NULL, failures = 0, positions = positions || $4::jsonb,
         sent_at = CASE WHEN $5 THEN now() ELSE sent_at END,
         due_at = coalesce($6, CASE WHEN requested_at > claimed_at THEN now() + make_interval(secs => $7) END)
        WHERE user_id = $1 AND frequency = $2 AND claim ->> 'messageId' = $3`,
      [userId, frequency, claim.messageId, toJsonb(through), sent, nextAt, seconds(intervalMs)],
    );
  }

  /** Schedules a retry of a claimed mail. */
  async postpone({ userId, frequency }: MailKey, { messageId }: MailClaim, delayMs: number): Promise<void> {
    await this.unit.manager.query(
      `UPDATE notification_mail SET failures = failures + 1, due_at = now() + make_interval(secs => $4)
        WHERE user_id = $1 AND frequency = $2 AND claim ->> 'messageId' = $3`,
      [userId, frequency, messageId, seconds(delayMs)],
    );
  }

  /** Skips a mail: the user cannot get mail, or has no category at this frequency. */
  async pass({ userId, frequency }: MailKey, nextAt: Date | null): Promise<void> {
    await this.unit.manager.query(
      `UPDATE notification_mail SET claim = NULL, claimed_at = NULL, failures = 0, due_at = $3 WHERE user_id = $1 AND frequency = $2`,
      [userId, frequency, nextAt],
    );
  }
}
