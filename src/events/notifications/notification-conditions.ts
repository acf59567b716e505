import { roleRank } from '../../core/access/roles.js';
import { INTERIM_SQL, isInterim } from '../../core/events/event-kinds.js';
import type { RecordedEvent } from '../event.entity.js';
import { readableSql } from '../event-readers.js';
import { feedColumn } from '../feed.store.js';
import { NOTIFICATION_DAYS } from './notification-preferences.js';
import type { Recipient } from './recipient.js';

/** SQL of the feed of an `event`. */
export const FEED_SQL = feedColumn('event');

/** SQL of whether an `event` is read; requires the joined mark `notified` and position `reached`. */
export const READ_SQL = 'coalesce(notified.read, event.sequence <= coalesce(reached.position, 0))';

/** SQL expressions of the parameters of `notifiesSql`. */
export interface NotificationParameters {
  user: string;
  /** A text array. */
  categories: string;
  /** A uuid array of workspaces. */
  muted: string;
  /** A jsonb list of ended silences. */
  silences: string;
}

/** A condition on an event, as SQL and as a function. */
interface EventCondition {
  sql: (parameters: NotificationParameters) => string;
  holds: (recipient: Recipient, event: RecordedEvent) => boolean;
}

/** The event has one of the categories, is outside of muted workspaces, now and when it happened, and is by another user or by the system. */
const EVENT_CONDITIONS: readonly EventCondition[] = [
  {
    sql: ({ categories }) => `event.category = ANY (${categories})`,
    holds: ({ categories }, { category }) => categories.includes(category),
  },
  { sql: () => `NOT ${INTERIM_SQL}`, holds: (_, event) => !isInterim(event) },
  {
    sql: ({ muted }) => `(event.workspace_id IS NULL OR event.workspace_id <> ALL (${muted}))`,
    holds: ({ muted }, { workspaceId }) => workspaceId === null || !muted.includes(workspaceId),
  },
  {
    sql: ({ silences }) => `NOT EXISTS (
      SELECT FROM jsonb_to_recordset(${silences}) AS silence (category text, workspace uuid, since timestamptz, until timestamptz)
       WHERE (silence.category = event.category OR silence.workspace = event.workspace_id)
         AND event.created_at >= coalesce(silence.since, '-infinity') AND event.created_at < silence.until)`,
    holds: ({ silences }, { category, workspaceId, createdAt }) =>
      !silences.some(
        (one) =>
          (one.category === category || (one.workspace !== undefined && one.workspace === workspaceId)) &&
          createdAt.getTime() >= Date.parse(one.since ?? '1970-01-01') &&
          createdAt.getTime() < Date.parse(one.until),
      ),
  },
  {
    sql: ({ user }) => `(event.user_id IS DISTINCT FROM ${user} OR event.system_actor IS NOT NULL)`,
    holds: (recipient, { userId, systemActor }) => userId !== recipient.userId || systemActor !== null,
  },
];

/** Reports whether a recipient is notified of an event that they may read. */
export const isNotified = (recipient: Recipient, event: RecordedEvent): boolean =>
  EVENT_CONDITIONS.every(({ holds }) => holds(recipient, event));

/** SQL of the organizations that a user administers, in which they see all events. */
const ADMINISTERED_SQL = `SELECT organization_id FROM own_role
  WHERE resource_type = 'organization' AND role >= ${roleRank('organization_admin')}`;

/**
 * SQL of the records to which a user got access during the last days, by id and time: a workspace since the first grant to the user or one
 * of their teams, its environments and their connections since their assignment.
 */
const joinedSql = (user: string): string => `(
  WITH granted AS (
    SELECT workspace_id, created_at AS since FROM workspace_member WHERE user_id = ${user}
    UNION ALL
    SELECT held.workspace_id, greatest(held.created_at, mine.created_at) FROM team_member mine
      JOIN workspace_team held ON held.team_id = mine.team_id WHERE mine.user_id = ${user}
  ), joined_workspace AS (
    SELECT granted.workspace_id, granted.since FROM granted JOIN workspace ON workspace.id = granted.workspace_id
     WHERE workspace.organization_id NOT IN (${ADMINISTERED_SQL})
  ), assigned AS (
    SELECT mapping.environment_id, greatest(joined_workspace.since, mapping.created_at) AS since FROM joined_workspace
      JOIN workspace_environment mapping
        ON mapping.workspace_id = joined_workspace.workspace_id AND mapping.deleted_at IS NULL
  ), reached AS (
    SELECT workspace_id AS id, since FROM joined_workspace
    UNION ALL
    SELECT environment_id, since FROM assigned
    UNION ALL
    SELECT mapping.connection_id, greatest(assigned.since, mapping.created_at) FROM assigned
      JOIN environment_connection mapping
        ON mapping.environment_id = assigned.environment_id AND mapping.deleted_at IS NULL
  )
  SELECT id, min(since) AS since FROM reached GROUP BY id HAVING min(since) > now() - interval '${NOTIFICATION_DAYS} days')`;

/**
 * SQL of whether a user is notified of an `event`: it meets the conditions, happened after the user got access, and the user may read it
 * now. `own_role` are the rows of `roles_of` for the user.
 */
export const notifiesSql = (parameters: NotificationParameters): string => {
  const { user } = parameters;
  return `(
  ${EVENT_CONDITIONS.map(({ sql }) => sql(parameters)).join(' AND ')}
  AND (event.organization_id IS NULL OR EXISTS (
    SELECT FROM organization_member member WHERE member.user_id = ${user}
       AND member.organization_id = event.organization_id AND member.created_at <= event.created_at))
  AND NOT EXISTS (
    SELECT FROM ${joinedSql(user)} AS joined
     WHERE joined.id = coalesce(event.workspace_id, event.acted_upon) AND joined.since > event.created_at)
  AND ${readableSql('event', 'own_role', user)})`;
};
