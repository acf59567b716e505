import { Injectable } from '@nestjs/common';
import { PostgresNotifications } from '../core/database/postgres-notifications.js';

const CHANNEL = 'armature_job';
const ANY_QUEUE = '*';

/** Notices about jobs between replicas, sent when the change commits. */
export type JobNotification =
  { kind: 'ready'; queue: string | null } | { kind: 'cancel'; id: string } | { kind: 'ended'; id: string };

/** The words of notices about jobs between replicas. Notices may be lost: listeners also poll. */
@Injectable()
export class JobNotifications {
  constructor(private readonly notifications: PostgresNotifications) {}

  /** SQL that sends the notice with the surrounding transaction; `subject` is SQL too: a queue for `ready`, else the id of a job. */
  static notifySql(kind: JobNotification['kind'], subject = `'${ANY_QUEUE}'`): string {
    return `pg_notify('${CHANNEL}', '${kind} ' || ${subject})`;
  }

  subscribe(hear: (notice: JobNotification) => void): () => void {
    return this.notifications.subscribe(CHANNEL, (payload) => {
      const [kind, subject = ''] = payload.split(' ');
      if (kind === 'ready') hear({ kind, queue: subject === ANY_QUEUE ? null : subject });
      if (kind === 'cancel' || kind === 'ended') hear({ kind, id: subject });
    });
  }

  /** Calls back when notices may have been missed. */
  onReconnect(listener: () => void): () => void {
    return this.notifications.onReconnect(listener);
  }
}
