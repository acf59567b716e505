import { Injectable } from '@nestjs/common';
import { Notifications } from '../../core/database/notifications.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

const CHANNEL = 'armature_revoked';

/** The end of one session, or (with `sessionId` null) of every token of a user. */
export interface Revocation {
  userId: string;
  sessionId: string | null;
}

/** Tells every replica at once that tokens have ended. */
@Injectable()
export class Revocations {
  constructor(
    private readonly notifications: Notifications,
    private readonly unit: UnitOfWork,
  ) {}

  /** Part of the open transaction, if there is one: told when it commits. */
  async revoke({ userId, sessionId }: Revocation): Promise<void> {
    await this.unit.manager.query(`SELECT pg_notify('${CHANNEL}', $1)`, [JSON.stringify([userId, sessionId])]);
  }

  listen(listener: (revocation: Revocation) => void): () => void {
    return this.notifications.listen(CHANNEL, (payload) => {
      const [userId, sessionId] = JSON.parse(payload) as [string, string | null];
      listener({ userId, sessionId });
    });
  }

  /** Calls back when revocations may have been missed. */
  onGap(listener: () => void): () => void {
    return this.notifications.onReconnect(listener);
  }
}
