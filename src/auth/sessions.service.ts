import { Injectable } from '@nestjs/common';
import { Env } from '../core/config/env.js';
import { generateSecretToken, hashSecretToken } from '../core/crypto/secret-token.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import type { User } from '../organizations/users/user.entity.js';
import type { AccessTokenView, TokensView } from './auth.view.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { signAccessToken } from './tokens/json-web-token.js';
import { RevocationsService } from './tokens/revocations.service.js';
import { SigningKeysService } from './tokens/signing-keys.service.js';

/** Where a session was opened: the refresh tokens of each kind are valid in its own calls only. */
export type SessionKind = 'api' | 'console';

/** In the tokens of the console, so that no call accepts one of the other kind. */
const CONSOLE_PREFIX = 'console_';
/** How long a cookie that was just replaced is accepted. */
const REPLACED_SECONDS = 10;

const isOfKind = (refreshToken: string, kind: SessionKind): boolean =>
  refreshToken.startsWith(CONSOLE_PREFIX) === (kind === 'console');

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

  /** Opens a session. @returns null when the user was deactivated, or their password or identity at the issuer changed, after they were read */
  open(user: User, kind: SessionKind = 'api'): Promise<TokensView | null> {
    return this.runAsSystem(async () => {
      const sessionId = await this.sessions.create(user, this.env.REFRESH_TOKEN_TTL);
      return sessionId ? this.issueTokens(user.id, sessionId, kind) : null;
    });
  }

  /**
   * Exchanges a refresh token for the next pair of tokens. The reuse of a token ends its whole session, because it may have been
   * stolen.
   * @throws Unauthenticated
   */
  async refresh(refreshToken: string): Promise<TokensView> {
    const issued = await this.exchange(refreshToken, 'api', 0);
    if (!issued || !('refresh_token' in issued)) throw invalidRefreshToken();
    return issued;
  }

  /**
   * Exchanges the refresh token of the console. A token that was just replaced gives an access token only, because several tabs
   * share a cookie.
   * @throws Unauthenticated
   */
  async refreshConsole(refreshToken: string | undefined): Promise<AccessTokenView | TokensView> {
    const issued = refreshToken === undefined ? null : await this.exchange(refreshToken, 'console', REPLACED_SECONDS);
    if (!issued) throw noSession();
    return issued;
  }

  /** Ends the session of a refresh token. @throws Unauthenticated when the token was used before or is unknown */
  async logout(refreshToken: string): Promise<void> {
    if (!(await this.endFamily(refreshToken))) throw invalidRefreshToken();
  }

  /** Ends the session of a refresh token, even if the token was used before. @returns whether it was valid */
  endFamily(refreshToken: string): Promise<boolean> {
    return this.runAsSystem(async () => {
      const use = await this.sessions.consumeRefreshToken(hashSecretToken(refreshToken));
      if (use) await this.end(use.sessionId);
      return use?.usedFor === null;
    });
  }

  private async exchange(
    refreshToken: string,
    kind: SessionKind,
    acceptedFor: number,
  ): Promise<AccessTokenView | TokensView | null> {
    if (!isOfKind(refreshToken, kind)) return null;
    return this.runAsSystem(async () => {
      const use = await this.sessions.consumeRefreshToken(hashSecretToken(refreshToken));
      if (!use) return null;
      if (use.usedFor !== null && use.usedFor >= acceptedFor) {
        await this.end(use.sessionId);
        return null;
      }
      const user = await this.sessions.findUser(use.sessionId);
      if (!user) return null;
      return use.usedFor === null
        ? this.issueTokens(user.user_id, user.session_id, kind)
        : this.issueAccessToken(user.user_id, user.session_id);
    });
  }

  /** Runs as the system, because no user may read sessions, not even their own. */
  private runAsSystem<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.runAsSystem('sessions', () => this.unit.run(work));
  }

  private async issueTokens(userId: string, sessionId: string, kind: SessionKind): Promise<TokensView> {
    const refreshToken = (kind === 'console' ? CONSOLE_PREFIX : '') + generateSecretToken();
    await this.sessions.addRefreshToken(sessionId, hashSecretToken(refreshToken));
    return { ...this.issueAccessToken(userId, sessionId), refresh_token: refreshToken };
  }

  private issueAccessToken(userId: string, sessionId: string): AccessTokenView {
    const lifetime = this.env.ACCESS_TOKEN_TTL;
    return {
      access_token: signAccessToken(this.keys, { sub: userId, sid: sessionId }, lifetime),
      token_type: 'Bearer',
      expires_in: lifetime,
    };
  }

  private async end(sessionId: string): Promise<void> {
    const userId = await this.sessions.end(sessionId);
    if (userId) await this.revocations.revoke({ userId, sessionId });
  }
}

const invalidRefreshToken = (): Unauthenticated =>
  new Unauthenticated('the refresh token is used, unknown or expired', { remedy: 'Sign in again.' });

const noSession = (): Unauthenticated =>
  new Unauthenticated('there is no session in this browser, or it has ended', { remedy: 'Sign in again.' });
