import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import { Actor } from '../../core/access/actor.js';
import { SessionsStore } from './sessions.store.js';
import { type AccessTokenClaims, OWN_ISSUER } from '../tokens/json-web-token.js';
import { JwtStrategy } from '../tokens/jwt.strategy.js';
import { SigningKeysService } from '../tokens/signing-keys.service.js';
import { invalidToken, type VerifiedToken } from '../tokens/verified-token.js';

/** The access tokens that this server issues at sign-in. */
@Injectable()
export class SessionTokenStrategy extends JwtStrategy {
  constructor(
    keys: SigningKeysService,
    private readonly sessions: SessionsStore,
  ) {
    super(({ kid, alg }) => keys.find(kid, alg)?.key, { issuer: OWN_ISSUER, algorithms: ['HS256', 'ES256'] });
  }

  override async validate({ sub, sid, exp }: AccessTokenClaims): Promise<VerifiedToken> {
    const user = validate(sid) ? await this.sessions.findUser(sid) : null;
    if (!user || user.user_id !== sub) throw invalidToken('the session of this token has ended');
    const actor = Actor.user({
      id: user.user_id,
      email: user.email,
      installationAdmin: user.installation_admin,
      sessionId: user.session_id,
      defaultOrganizationId: user.default_organization_id,
      expiresAt: exp * 1000,
    });
    return { actor };
  }
}
