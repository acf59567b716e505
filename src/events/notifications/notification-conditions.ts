import { INTERIM_SQL } from '../../core/events/event-kinds.js';
import { readableSql } from '../event-readers.js';
import { INSTALLATION_FEED } from '../feed.store.js';

/** Notifications go back so many days. */
export const NOTIFICATION_DAYS = 30;

/** The feed that an event is numbered in. */
export const FEED_SQL = `coalesce(event.organization_id, '${INSTALLATION_FEED}'::uuid)`;

/** SQL of whether an `event` is read, with its mark `notified` and the position `reached` joined. */
export const READ_SQL = 'coalesce(notified.read, event.sequence <= coalesce(reached.position, 0))';

/** SQL of the values that notifications of a user are found by. */
export interface NotificationParameters {
  user: string;
  /** A text array. */
  categories: string;
  /** A uuid array of workspaces. */
  muted: string;
}

/**
 * SQL that holds for each `event` that a user is notified of: one of the categories, outside of muted workspaces, which
 * happened since the user came, was done by somebody else or came of what they had asked for, and is one they may read now.
 * `own_role` are the rows of `roles_of` the user.
 */
export const notifiesSql = ({ user, categories, muted }: NotificationParameters): string => `(
  event.category = ANY (${categories}) AND NOT ${INTERIM_SQL}
  AND (event.workspace_id IS NULL OR event.workspace_id <> ALL (${muted}))
  AND (event.user_id IS DISTINCT FROM ${user} OR event.system_actor IS NOT NULL)
  AND (event.organization_id IS NULL OR EXISTS (
    SELECT FROM organization_member member WHERE member.user_id = ${user}
       AND member.organization_id = event.organization_id AND member.created_at <= event.created_at))
  AND NOT EXISTS (
    SELECT FROM workspace_member joined WHERE joined.user_id = ${user}
       AND joined.workspace_id = event.workspace_id AND joined.created_at > event.created_at)
  AND ${readableSql('event', 'own_role', user)})`;
