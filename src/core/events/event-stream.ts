import { Injectable } from '@nestjs/common';
import { PostgresNotifications } from '../database/postgres-notifications.js';

const CHANNEL = 'armature_event';

/** That an event was committed, on this replica or another; who wants the whole event reads it by its number. */
export interface EventNotification {
  /** Null for what belongs to the whole installation; such events are numbered among themselves. */
  organizationId: string | null;
  sequence: string;
  category: string;
  action: string;
  actedUpon: string;
}

/** Tells every replica which events were committed. */
@Injectable()
export class EventStream {
  constructor(private readonly notifications: PostgresNotifications) {}

  /** The SQL expression that sends a notice with the surrounding transaction; takes SQL of each of its parts. */
  static notifySql(parts: { [K in keyof EventNotification]: string }): string {
    const json = `json_build_array(${parts.organizationId}, ${parts.sequence}::text, ${parts.category}, ${parts.action}, ${parts.actedUpon})`;
    return `pg_notify('${CHANNEL}', ${json}::text)`;
  }

  /** @returns how to stop listening */
  subscribe(listener: (notice: EventNotification) => void): () => void {
    return this.notifications.subscribe(CHANNEL, (payload) => {
      const [organizationId, sequence, category, action, actedUpon] = JSON.parse(payload) as [
        string | null,
        string,
        string,
        string,
        string,
      ];
      listener({ organizationId, sequence, category, action, actedUpon });
    });
  }

  /** Calls back when notices may have been missed, so that listeners read again from where they stand. */
  onReconnect(listener: () => void): () => void {
    return this.notifications.onReconnect(listener);
  }
}
