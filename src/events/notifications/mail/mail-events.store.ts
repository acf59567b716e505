import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import type { Severity } from '../../../core/events/domain-event.js';
import { FEED_SQL, notifiesSql, READ_SQL } from '../notification-conditions.js';
import { OWNER_CATEGORIES } from '../notification-preferences.js';
import type { Recipient } from '../recipient.js';
import type { MailClaim } from './notification-mail.entity.js';

/** The maximum number of events listed in a mail; further ones are only counted. */
export const MAX_LISTED = 50;

/** An event as shown in a mail. */
export interface MailedEvent {
  description: string;
  severity: Severity;
  createdAt: Date;
  organization: string | null;
  workspace: string | null;
}

export interface MailedEvents {
  /** The newest events, in ascending order. */
  listed: MailedEvent[];
  total: number;
}

/** Reads the content of a mail: unread events that the user may read now. */
@Injectable()
export class MailEventsStore {
  constructor(private readonly unit: UnitOfWork) {}

  async list({ userId, categories, muted, silences }: Recipient, { since, windows }: MailClaim): Promise<MailedEvents> {
    const feeds = Object.entries(windows);
    const rows = await this.unit.manager.query<(MailedEvent & { total: number })[]>(
      `WITH own_role AS MATERIALIZED (SELECT * FROM roles_of($1)),
       reading AS (SELECT * FROM unnest($4::uuid[], $5::bigint[], $6::bigint[]) AS one (feed, after, through))
       SELECT event.description, event.severity, event.created_at AS "createdAt", organization.name AS organization,
              workspace.name AS workspace, count(*) OVER ()::int AS total
         FROM reading JOIN event ON ${FEED_SQL} = reading.feed AND event.sequence > reading.after AND event.sequence <= reading.through
         LEFT JOIN organization ON organization.id = event.organization_id
         LEFT JOIN workspace ON workspace.id = event.workspace_id
         LEFT JOIN notification_mark notified ON notified.user_id = $1 AND notified.event_id = event.id
         LEFT JOIN notification_position reached ON reached.user_id = $1 AND reached.feed = reading.feed
        WHERE event.created_at >= $7 AND ${notifiesSql({ user: '$1', categories: '$2::text[]', muted: '$3::uuid[]', silences: '$9::jsonb' })}
          AND (event.category <> ALL ($8) OR event.metadata ->> 'owner' = $1::text) AND NOT ${READ_SQL}
        ORDER BY event.created_at DESC, event.id DESC LIMIT ${MAX_LISTED}`,
      [
        userId,
        categories,
        muted,
        feeds.map(([feed]) => feed),
        feeds.map(([, [after]]) => after),
        feeds.map(([, [, through]]) => through),
        since,
        OWNER_CATEGORIES,
        toJsonb(silences),
      ],
    );
    return { listed: rows.reverse(), total: rows[0]?.total ?? 0 };
  }
}
