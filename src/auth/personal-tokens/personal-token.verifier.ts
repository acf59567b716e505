import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { hashSecretToken } from '../../core/crypto/secret-token.js';
import { invalidToken, type VerifiedToken } from '../tokens/verified-token.js';
import { PersonalTokensStore } from './personal-tokens.store.js';
import { TokenUsageRecorder } from './token-usage.recorder.js';

/** The prefix of personal tokens, recognizable by people and secret scanners. */
export const TOKEN_PREFIX = 'arm_';

/** Checks the opaque tokens of people and service accounts. */
@Injectable()
export class PersonalTokenVerifier {
  constructor(
    private readonly tokens: PersonalTokensStore,
    private readonly uses: TokenUsageRecorder,
  ) {}

  recognizes(token: string): boolean {
    return token.startsWith(TOKEN_PREFIX);
  }

  /** @throws Unauthenticated when it is unknown, revoked or expired, or its user is deactivated */
  async verify(token: string): Promise<VerifiedToken> {
    const bearer = await this.tokens.findBearer(hashSecretToken(token));
    if (!bearer) throw invalidToken('the token is revoked, unknown or expired');
    const actor = Actor.user({
      id: bearer.user_id,
      email: bearer.email,
      // The rights of an installation administrator always require the scope `admin`.
      installationAdmin: bearer.installation_admin && bearer.scopes.includes('admin'),
      scopes: bearer.scopes,
      sessionId: bearer.token_id,
      defaultOrganizationId: bearer.default_organization_id,
      kind: bearer.kind,
      expiresAt: bearer.expires_at?.getTime() ?? null,
    });
    return { actor, onUse: () => this.uses.record(bearer.token_id) };
  }
}
