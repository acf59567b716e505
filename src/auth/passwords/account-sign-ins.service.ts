import { Injectable } from '@nestjs/common';
import { PersonalTokensStore } from '../personal-tokens/personal-tokens.store.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import { RevocationsService } from '../tokens/revocations.service.js';

/** Ends what an account is signed in with: its sessions and its personal tokens. Part of the open unit of work. */
@Injectable()
export class AccountSignInsService {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly tokens: PersonalTokensStore,
    private readonly revocations: RevocationsService,
  ) {}

  /** Ends the sessions of a user but for `keep`. */
  async endSessions(userId: string, keep: string | null): Promise<void> {
    for (const sessionId of await this.sessions.endAll(userId, keep))
      await this.revocations.revoke({ userId, sessionId });
  }

  /** Ends every session of a user whose account acts no more, and what is open of their tokens. */
  async endAll(userId: string): Promise<void> {
    await this.sessions.endAll(userId);
    await this.revocations.revoke({ userId, sessionId: null });
  }

  /** Revokes the personal tokens of a user whose sessions have ended. */
  async revokeTokens(userId: string): Promise<void> {
    await this.tokens.revokeAll(userId);
    await this.revocations.revoke({ userId, sessionId: null });
  }
}
