import { PostgresPubSub } from '../pubsub/postgres-pubsub.js';

/** The topic of committed events; its messages are `EventNotification`s. */
export const EVENTS_TOPIC = 'events';

/** That an event was committed, on this replica or another; the whole event is read by its number. */
export interface EventNotification {
  /** Null for what belongs to the whole installation; such events are numbered among themselves. */
  organizationId: string | null;
  sequence: string;
  category: string;
  action: string;
  actedUpon: string;
}

type Parts = { [K in keyof EventNotification]: string };

/** The SQL expression that publishes a notification with the surrounding transaction; takes SQL of each of its parts. */
export const publishEventSql = (parts: Parts): string => PostgresPubSub.publishSql(EVENTS_TOPIC, toJsonSql(parts));

/** The same of the message, to be published once the transaction has committed. */
export const eventMessageSql = (parts: Parts): string => PostgresPubSub.messageSql(EVENTS_TOPIC, toJsonSql(parts));

function toJsonSql(parts: Parts): string {
  const members = Object.entries({ ...parts, sequence: `${parts.sequence}::text` }).map(
    ([key, sql]) => `'${key}', ${sql}`,
  );
  return `json_build_object(${members.join(', ')})`;
}
