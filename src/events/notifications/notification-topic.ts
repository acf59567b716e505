import { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';

/** The topic that notifies every replica that the notifications of a user may have changed, by a mark or a setting. */
export const NOTIFICATIONS_TOPIC = 'notifications';

export interface NotificationsNotice {
  userId: string;
}

/** The statement that publishes a change with the surrounding transaction; takes the user's id. */
export const PUBLISH_CHANGE_SQL = `SELECT ${PostgresPubSub.publishSql(
  NOTIFICATIONS_TOPIC,
  `json_build_object('userId', $1::text)`,
)}`;
