import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { verifyPassword } from '../core/crypto/password-hashing.js';
import { hashSecretToken, generateSecretToken } from '../core/crypto/secret-token.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import type { User } from '../organizations/users/user.entity.js';
import { UsersStore } from '../organizations/users/users.store.js';
import type { SignIn } from './auth.inputs.js';
import type { TokensView } from './auth.view.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { SignInLimiter } from './attempts/attempts.limiter.js';
import { AccessTokensService } from './tokens/access-tokens.service.js';
import { RevocationsService } from './tokens/revocations.service.js';

/** Signing in and out. */
@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly tokens: AccessTokensService,
    private readonly revocations: RevocationsService,
    private readonly limit: SignInLimiter,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
  ) {}

  /** @throws Unauthenticated for a wrong address or password alike; 429 after too many failures */
  async login({ email, password }: SignIn, address: string): Promise<TokensView> {
    const attempt = await this.limit.begin(email, address);
    const user = await this.unit.runAsSystem('signing in', () => this.users.findByEmail(email));
    const holds = await verifyPassword(user?.deactivatedAt ? null : user?.passwordHash, password);
    if (!user || !holds) throw invalidCredentials();
    const tokens = await this.openSession(user);
    await attempt.succeeded();
    return tokens;
  }

  /** @throws Unauthenticated when the user was deactivated, or their password changed, since they were read */
  openSession(user: User): Promise<TokensView> {
    return this.runAsSystem(async () => {
      const sessionId = await this.sessions.create(user, this.env.REFRESH_TOKEN_TTL);
      if (!sessionId) throw invalidCredentials();
      return this.issueTokens(user.id, sessionId);
    });
  }

  /** Trades a refresh token for the next pair. A token that was used before ends its whole session: one of the two users stole it. */
  async refresh(refreshToken: string): Promise<TokensView> {
    const issued = await this.runAsSystem(async () => {
      const use = await this.sessions.consumeRefreshToken(hashSecretToken(refreshToken));
      if (!use) return null;
      if (!use.first) {
        await this.endSession(use.sessionId);
        return null;
      }
      const user = await this.sessions.findUser(use.sessionId);
      return user ? this.issueTokens(user.user_id, user.session_id) : null;
    });
    if (!issued) throw invalidRefreshToken();
    return issued;
  }

  /** Ends the session of a refresh token, also when the token was used before: then it is refused all the same. */
  async logout(refreshToken: string): Promise<void> {
    const use = await this.runAsSystem(async () => {
      const found = await this.sessions.consumeRefreshToken(hashSecretToken(refreshToken));
      if (found) await this.endSession(found.sessionId);
      return found;
    });
    if (!use?.first) throw invalidRefreshToken();
  }

  /** Sessions are nobody's to see, also not their user's. */
  private runAsSystem<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.runAsSystem('sessions', () => this.unit.run(work));
  }

  private async issueTokens(userId: string, sessionId: string): Promise<TokensView> {
    const refresh = generateSecretToken();
    await this.sessions.addRefreshToken(sessionId, hashSecretToken(refresh));
    return {
      access_token: this.tokens.sign(userId, sessionId),
      token_type: 'Bearer',
      expires_in: this.tokens.lifetime,
      refresh_token: refresh,
    };
  }

  private async endSession(sessionId: string): Promise<void> {
    const userId = await this.sessions.end(sessionId);
    if (userId) await this.revocations.revoke({ userId, sessionId });
  }
}

const invalidCredentials = (): Unauthenticated =>
  new Unauthenticated('the e-mail address or the password is wrong', { remedy: 'Check both and try again.' });

const invalidRefreshToken = (): Unauthenticated =>
  new Unauthenticated('the refresh token is used, unknown or expired', { remedy: 'Sign in again.' });
