import { PostgresPubSub } from '../pubsub/postgres-pubsub.js';

/** The topic of committed events; its messages are `EventNotification`s. */
export const EVENTS_TOPIC = 'events';

/** Announces that a replica committed an event; subscribers read the event by its number. */
export interface EventNotification {
  /** Null for events of the installation, which have a sequence of their own. */
  organizationId: string | null;
  sequence: string;
  category: string;
  action: string;
  actedUpon: string;
}

type Parts = { [K in keyof EventNotification]: string };

/** Returns the SQL expression that publishes a notification in the current transaction; each part is SQL. */
export const publishEventSql = (parts: Parts): string => PostgresPubSub.publishSql(EVENTS_TOPIC, toJsonSql(parts));

/** Returns the SQL expression of the message, for publication after the commit. */
export const eventMessageSql = (parts: Parts): string => PostgresPubSub.messageSql(EVENTS_TOPIC, toJsonSql(parts));

function toJsonSql(parts: Parts): string {
  const members = Object.entries({ ...parts, sequence: `${parts.sequence}::text` }).map(
    ([key, sql]) => `'${key}', ${sql}`,
  );
  return `json_build_object(${members.join(', ')})`;
}
