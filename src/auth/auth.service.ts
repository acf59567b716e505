import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { verifyPassword } from '../core/crypto/passwords.js';
import { digestOf, newSecretToken } from '../core/crypto/secret-token.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import type { User } from '../organizations/users/user.entity.js';
import { UsersStore } from '../organizations/users/users.store.js';
import type { SignIn } from './auth.inputs.js';
import type { TokensView } from './auth.view.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { SignInLimit } from './attempts/attempt-limits.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { Revocations } from './tokens/revocations.js';

/** Signing in and out. */
@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly tokens: AccessTokens,
    private readonly revocations: Revocations,
    private readonly limit: SignInLimit,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
  ) {}

  /** @throws Unauthenticated for a wrong address or password alike; 429 after too many failures */
  async login({ email, password }: SignIn, address: string): Promise<TokensView> {
    const attempt = await this.limit.begin(email, address);
    const user = await this.unit.asSystem('signing in', () => this.users.findByEmail(email));
    const holds = await verifyPassword(user?.deactivatedAt ? null : user?.passwordHash, password);
    if (!user || !holds) throw wrong();
    const tokens = await this.openSession(user);
    await attempt.succeeded();
    return tokens;
  }

  /** @throws Unauthenticated when the user was deactivated, or their password changed, since they were read */
  openSession(user: User): Promise<TokensView> {
    return this.withSessions(async () => {
      const sessionId = await this.sessions.open(user, this.env.REFRESH_TOKEN_TTL);
      if (!sessionId) throw wrong();
      return this.issue(user.id, sessionId);
    });
  }

  /** Trades a refresh token for the next pair. A token that was used before ends its whole session: one of the two users stole it. */
  async refresh(refreshToken: string): Promise<TokensView> {
    const issued = await this.withSessions(async () => {
      const use = await this.sessions.useToken(digestOf(refreshToken));
      if (!use) return null;
      if (!use.first) {
        await this.end(use.sessionId);
        return null;
      }
      const user = await this.sessions.userOf(use.sessionId);
      return user ? this.issue(user.user_id, user.session_id) : null;
    });
    if (!issued) throw spent();
    return issued;
  }

  /** Ends the session of a refresh token, also when the token was used before: then it is refused all the same. */
  async logout(refreshToken: string): Promise<void> {
    const use = await this.withSessions(async () => {
      const found = await this.sessions.useToken(digestOf(refreshToken));
      if (found) await this.end(found.sessionId);
      return found;
    });
    if (!use?.first) throw spent();
  }

  /** Sessions are nobody's to see, also not their user's. */
  private withSessions<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.asSystem('sessions', () => this.unit.run(work));
  }

  private async issue(userId: string, sessionId: string): Promise<TokensView> {
    const refresh = newSecretToken();
    await this.sessions.addToken(sessionId, digestOf(refresh));
    return {
      access_token: this.tokens.sign(userId, sessionId),
      token_type: 'Bearer',
      expires_in: this.tokens.lifetime,
      refresh_token: refresh,
    };
  }

  private async end(sessionId: string): Promise<void> {
    const userId = await this.sessions.end(sessionId);
    if (userId) await this.revocations.revoke({ userId, sessionId });
  }
}

const wrong = (): Unauthenticated =>
  new Unauthenticated('the e-mail address or the password is wrong', { remedy: 'Check both and try again.' });

const spent = (): Unauthenticated =>
  new Unauthenticated('the refresh token is used, unknown or expired', { remedy: 'Sign in again.' });
