import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { verifyPassword } from '../core/crypto/passwords.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import type { User } from '../organizations/users/user.entity.js';
import { UsersStore } from '../organizations/users/users.store.js';
import type { SignIn } from './auth.inputs.js';
import type { TokensView } from './auth.view.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { SignInLimit } from './sign-in-limit.js';
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
    const user = await this.users.findByEmail(email);
    const holds = await verifyPassword(user?.deactivatedAt ? null : user?.passwordHash, password);
    if (!user || !holds)
      throw new Unauthenticated('the e-mail address or the password is wrong', { remedy: 'Check both and try again.' });
    await attempt.succeeded();
    return this.openSession(user);
  }

  openSession(user: User): Promise<TokensView> {
    return this.unit.run(async () =>
      this.issue(user.id, await this.sessions.open(user.id, this.env.REFRESH_TOKEN_TTL)),
    );
  }

  /** Trades a refresh token for the next pair. A token that was used before ends its whole session: one of the two users stole it. */
  async refresh(refreshToken: string): Promise<TokensView> {
    const issued = await this.unit.run(async () => {
      const use = await this.sessions.useToken(digest(refreshToken));
      if (!use) return null;
      if (!use.first) {
        await this.end(use.sessionId);
        return null;
      }
      const user = await this.sessions.userOf(use.sessionId);
      return user ? this.issue(user.user_id, user.session_id) : null;
    });
    if (!issued)
      throw new Unauthenticated('the refresh token is used, unknown or expired', { remedy: 'Sign in again.' });
    return issued;
  }

  async logout(refreshToken: string): Promise<void> {
    await this.unit.run(async () => {
      const use = await this.sessions.useToken(digest(refreshToken));
      if (use) await this.end(use.sessionId);
    });
  }

  private async issue(userId: string, sessionId: string): Promise<TokensView> {
    const refresh = randomBytes(32).toString('base64url');
    await this.sessions.addToken(sessionId, digest(refresh));
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

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();
