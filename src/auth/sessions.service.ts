import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { generateSecretToken, hashSecretToken } from '../core/crypto/secret-token.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import type { User } from '../organizations/users/user.entity.js';
import type { TokensView } from './auth.view.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { signAccessToken } from './tokens/json-web-token.js';
import { RevocationsService } from './tokens/revocations.service.js';
import { SigningKeysService } from './tokens/signing-keys.service.js';

/** Opens the sessions of users, renews their tokens and ends them. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly keys: SigningKeysService,
    private readonly revocations: RevocationsService,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
  ) {}

  /** Opens a session. @returns null when the user was deactivated, or their password changed, after they were read */
  open(user: User): Promise<TokensView | null> {
    return this.runAsSystem(async () => {
      const sessionId = await this.sessions.create(user, this.env.REFRESH_TOKEN_TTL);
      return sessionId ? this.issueTokens(user.id, sessionId) : null;
    });
  }

  /**
   * Exchanges a refresh token for the next pair of tokens. The reuse of a token ends its whole session, because it may have been
   * stolen.
   * @throws Unauthenticated
   */
  async refresh(refreshToken: string): Promise<TokensView> {
    const issued = await this.runAsSystem(async () => {
      const use = await this.sessions.consumeRefreshToken(hashSecretToken(refreshToken));
      if (!use) return null;
      if (!use.first) {
        await this.end(use.sessionId);
        return null;
      }
      const user = await this.sessions.findUser(use.sessionId);
      return user ? this.issueTokens(user.user_id, user.session_id) : null;
    });
    if (!issued) throw invalidRefreshToken();
    return issued;
  }

  /** Ends the session of a refresh token, even if the token was used before; the token itself becomes invalid too. */
  async logout(refreshToken: string): Promise<void> {
    const use = await this.runAsSystem(async () => {
      const found = await this.sessions.consumeRefreshToken(hashSecretToken(refreshToken));
      if (found) await this.end(found.sessionId);
      return found;
    });
    if (!use?.first) throw invalidRefreshToken();
  }

  /** Runs as the system, because no user may read sessions, not even their own. */
  private runAsSystem<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.runAsSystem('sessions', () => this.unit.run(work));
  }

  private async issueTokens(userId: string, sessionId: string): Promise<TokensView> {
    const refresh = generateSecretToken();
    const lifetime = this.env.ACCESS_TOKEN_TTL;
    await this.sessions.addRefreshToken(sessionId, hashSecretToken(refresh));
    return {
      access_token: signAccessToken(this.keys, { sub: userId, sid: sessionId }, lifetime),
      token_type: 'Bearer',
      expires_in: lifetime,
      refresh_token: refresh,
    };
  }

  private async end(sessionId: string): Promise<void> {
    const userId = await this.sessions.end(sessionId);
    if (userId) await this.revocations.revoke({ userId, sessionId });
  }
}

const invalidRefreshToken = (): Unauthenticated =>
  new Unauthenticated('the refresh token is used, unknown or expired', { remedy: 'Sign in again.' });
