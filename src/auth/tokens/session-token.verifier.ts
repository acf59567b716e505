import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import { Actor } from '../../core/access/actor.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import { AccessTokensService } from './access-tokens.service.js';
import { invalidToken, type VerifiedToken } from './verified-token.js';

/** The access tokens of this server's own sign-ins. */
@Injectable()
export class SessionTokenVerifier {
  constructor(
    private readonly tokens: AccessTokensService,
    private readonly sessions: SessionsStore,
  ) {}

  /** @throws Unauthenticated when the token is forged or expired, or its session or user has ended */
  async verify(token: string): Promise<VerifiedToken> {
    const claims = await this.tokens.verify(token);
    const user = validate(claims.sid) ? await this.sessions.findUser(claims.sid) : null;
    if (!user || user.user_id !== claims.sub) throw invalidToken('the session of this token has ended');
    const actor = Actor.user({
      id: user.user_id,
      email: user.email,
      installationAdmin: user.installation_admin,
      sessionId: user.session_id,
      defaultOrganizationId: user.default_organization_id,
    });
    return { actor, expiresAt: claims.exp * 1000 };
  }
}
