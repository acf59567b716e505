import { Injectable } from '@nestjs/common';
import { PostgresNotifications } from '../core/database/postgres-notifications.js';

const CHANNEL = 'armature_job';
const ANY_QUEUE = '*';

/** A notification about jobs between replicas, sent on commit. */
export type JobNotification =
  { kind: 'ready'; queue: string | null } | { kind: 'cancel'; id: string } | { kind: 'ended'; id: string };

/** Sends and receives notifications about jobs. They may be lost, so listeners also poll. */
@Injectable()
export class JobNotifications {
  constructor(private readonly notifications: PostgresNotifications) {}

  /**
   * Returns the SQL that sends a notification in the current transaction.
   * @param subject SQL of the queue for `ready`, otherwise of the job id
   */
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

  /** Calls back after a reconnect, when notifications may have been missed. */
  onReconnect(listener: () => void): () => void {
    return this.notifications.onReconnect(listener);
  }
}
