import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PostgresNotifications } from '../../core/database/postgres-notifications.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

const CHANNEL = 'armature_revoked';

/** The end of one session or personal token, or (with `sessionId` null) of every token of a user. */
export interface Revocation {
  userId: string;
  sessionId: string | null;
}

export interface RevocationNotice extends Revocation {
  /** False when the tokens hold still, but what they stand for has changed. */
  ended: boolean;
}

/** Tells every replica at once that tokens have ended, or that the account behind them is another than before. */
@Injectable()
export class RevocationsService implements OnModuleInit {
  private readonly listeners = new Set<(notice: RevocationNotice) => void>();

  constructor(
    private readonly notifications: PostgresNotifications,
    private readonly unit: UnitOfWork,
  ) {}

  onModuleInit(): void {
    this.notifications.subscribe(CHANNEL, (payload) => {
      const [userId, sessionId, ended] = JSON.parse(payload) as [string, string | null, boolean];
      this.dispatch({ userId, sessionId, ended });
    });
  }

  /** Part of the open transaction, if there is one: published when it commits. */
  revoke(revocation: Revocation): Promise<void> {
    return this.notify({ ...revocation, ended: true });
  }

  /** The tokens of this user hold, but must be looked at again. */
  notifyChanged(userId: string): Promise<void> {
    return this.notify({ userId, sessionId: null, ended: false });
  }

  /** @returns how to stop listening */
  subscribe(listener: (notice: RevocationNotice) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Calls back when notices may have been missed. */
  onGap(listener: () => void): () => void {
    return this.notifications.onReconnect(listener);
  }

  /** This replica hears it as soon as it is committed, so that the caller's next request meets the change. */
  private async notify(notice: RevocationNotice): Promise<void> {
    const { userId, sessionId, ended } = notice;
    await this.unit.manager.query(`SELECT pg_notify('${CHANNEL}', $1)`, [JSON.stringify([userId, sessionId, ended])]);
    if (this.unit.isOpen) this.unit.afterCommit(() => this.dispatch(notice));
    else this.dispatch(notice);
  }

  private dispatch(notice: RevocationNotice): void {
    for (const listener of this.listeners) listener(notice);
  }
}
