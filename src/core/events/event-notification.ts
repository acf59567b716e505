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

/** The SQL expression that publishes a notification with the surrounding transaction; takes SQL of each of its parts. */
export function publishEventSql(parts: { [K in keyof EventNotification]: string }): string {
  const members = Object.entries({ ...parts, sequence: `${parts.sequence}::text` }).map(
    ([key, sql]) => `'${key}', ${sql}`,
  );
  return PostgresPubSub.publishSql(EVENTS_TOPIC, `json_build_object(${members.join(', ')})`);
}
