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
  /** False when the tokens are still valid, but their account has changed. */
  ended: boolean;
}

/** Notifies all replicas that tokens were revoked, or that their account has changed. */
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

  /** Publishes a revocation when the open transaction commits, or at once without one. */
  revoke(revocation: Revocation): Promise<void> {
    return this.notify({ ...revocation, ended: true });
  }

  /** Publishes that the tokens of a user remain valid, but must be checked again. */
  notifyChanged(userId: string): Promise<void> {
    return this.notify({ userId, sessionId: null, ended: false });
  }

  /** @returns a function that stops listening */
  subscribe(listener: (notice: RevocationNotice) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Registers a callback for when notices may have been missed. */
  onGap(listener: () => void): () => void {
    return this.notifications.onReconnect(listener);
  }

  /** This replica applies the notice on commit, so that the caller's next request sees the change. */
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
