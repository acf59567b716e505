import { Injectable } from '@nestjs/common';
import { Notifications } from '../../core/database/notifications.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

const CHANNEL = 'armature_revoked';

/** The end of one session or personal token, or (with `sessionId` null) of every token of a user. */
export interface Revocation {
  userId: string;
  sessionId: string | null;
}

interface Notice extends Revocation {
  /** False when the tokens hold still, but what they stand for has changed. */
  ended: boolean;
}

/** Tells every replica at once that tokens have ended, or that the account behind them is another than before. */
@Injectable()
export class Revocations {
  private readonly listeners = new Set<(notice: Notice) => void>();

  constructor(
    private readonly notifications: Notifications,
    private readonly unit: UnitOfWork,
  ) {
    notifications.listen(CHANNEL, (payload) => {
      const [userId, sessionId, ended] = JSON.parse(payload) as [string, string | null, boolean];
      this.hear({ userId, sessionId, ended });
    });
  }

  /** Part of the open transaction, if there is one: told when it commits. */
  revoke(revocation: Revocation): Promise<void> {
    return this.tell({ ...revocation, ended: true });
  }

  /** The tokens of this user hold, but must be looked at again. */
  changed(userId: string): Promise<void> {
    return this.tell({ userId, sessionId: null, ended: false });
  }

  /** @returns how to stop listening */
  listen(listener: (notice: Notice) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Calls back when notices may have been missed. */
  onGap(listener: () => void): () => void {
    return this.notifications.onReconnect(listener);
  }

  /** This replica hears it as soon as it is committed, so that the caller's next request meets the change. */
  private async tell(notice: Notice): Promise<void> {
    const { userId, sessionId, ended } = notice;
    await this.unit.manager.query(`SELECT pg_notify('${CHANNEL}', $1)`, [JSON.stringify([userId, sessionId, ended])]);
    if (this.unit.isOpen) this.unit.afterCommit(() => this.hear(notice));
    else this.hear(notice);
  }

  private hear(notice: Notice): void {
    for (const listener of this.listeners) listener(notice);
  }
}
