import { Injectable } from '@nestjs/common';
import { PersonalTokensStore } from '../personal-tokens/personal-tokens.store.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import { RevocationsService } from '../tokens/revocations.service.js';

/** Ends the sessions and revokes the personal tokens of an account, in the open transaction. */
@Injectable()
export class AccountSignInsService {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly tokens: PersonalTokensStore,
    private readonly revocations: RevocationsService,
  ) {}

  /** Ends the sessions of a user except `keep`. */
  async endSessions(userId: string, keep: string | null): Promise<void> {
    for (const sessionId of await this.sessions.endAll(userId, keep))
      await this.revocations.revoke({ userId, sessionId });
  }

  /** Ends all sessions of a deactivated user, and rejects their open tokens. */
  async endAll(userId: string): Promise<void> {
    await this.sessions.endAll(userId);
    await this.rejectOpenTokens(userId);
  }

  /** Revokes the personal tokens of a user whose sessions have ended. */
  async revokeTokens(userId: string): Promise<void> {
    await this.tokens.revokeAll(userId);
    await this.rejectOpenTokens(userId);
  }

  /** Closes all sockets of a user, and has all their tokens checked again. */
  rejectOpenTokens(userId: string): Promise<void> {
    return this.revocations.revoke({ userId, sessionId: null });
  }
}
