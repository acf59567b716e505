import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { RecordedEvent } from '../event.entity.js';
import { happenedInSql } from '../workspace-events.js';

/** Events of one kind by one user in a workspace on one day, each at most `GAP` after the previous one. */
export interface Burst {
  category: string;
  action: string;
  userId: string | null;
  /** The name or email address of the user; null for the system. */
  userName: string | null;
  count: number;
  /** The number of distinct records. */
  subjects: number;
  firstAt: Date;
  lastAt: Date;
  /** The requested events that belong to the burst. */
  eventIds: string[];
}

const GAP = `interval '10 minutes'`;
const DAY = `(event.created_at AT TIME ZONE 'UTC')::date`;
const dayOf = (moment: string): string => `date_trunc('day', ${moment}::timestamptz, 'UTC')`;

/** Groups events into bursts. */
@Injectable()
export class BurstsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Finds the bursts of these events of a workspace, newest first, each with the count of all its events. */
  async list(workspaceId: string, events: RecordedEvent[]): Promise<Burst[]> {
    if (events.length === 0) return [];
    const times = events.map(({ createdAt }) => createdAt.getTime());
    const kinds = [...new Set(events.map(({ category, action }) => `${category}.${action}`))];
    return this.unit.manager.query(
      `WITH listed AS (
         SELECT event.id, event.category, event.action, event.user_id, event.acted_upon, event.created_at, event.sequence,
                ${DAY} AS day, coalesce(event.created_at - lag(event.created_at) OVER same > ${GAP}, true) AS begins
           FROM event
          WHERE ${happenedInSql('$1')} AND event.category || '.' || event.action = ANY ($2)
            AND event.created_at >= ${dayOf('$3')} AND event.created_at < ${dayOf('$4')} + interval '1 day'
         WINDOW same AS (PARTITION BY ${DAY}, event.user_id, event.category, event.action ORDER BY event.sequence)
       ), numbered AS (
         SELECT *, count(*) FILTER (WHERE begins) OVER (PARTITION BY day, user_id, category, action ORDER BY sequence) AS burst
           FROM listed
       ), burst AS (
         SELECT category, action, user_id, count(*)::int AS count, count(DISTINCT acted_upon)::int AS subjects,
                min(created_at) AS first_at, max(created_at) AS last_at,
                array_agg(id ORDER BY sequence DESC) FILTER (WHERE id = ANY ($5)) AS event_ids
           FROM numbered GROUP BY day, user_id, category, action, burst HAVING count(*) > 1 AND bool_or(id = ANY ($5))
       )
       SELECT burst.category, burst.action, burst.user_id AS "userId", burst.count, burst.subjects,
              burst.first_at AS "firstAt", burst.last_at AS "lastAt", burst.event_ids AS "eventIds",
              coalesce(nullif(trim(app_user.first_name || ' ' || app_user.last_name), ''), app_user.email) AS "userName"
         FROM burst LEFT JOIN app_user ON app_user.id = burst.user_id ORDER BY burst.last_at DESC, burst.category, burst.action`,
      [workspaceId, kinds, new Date(Math.min(...times)), new Date(Math.max(...times)), events.map(({ id }) => id)],
    );
  }
}
