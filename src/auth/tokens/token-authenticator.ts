import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { Authenticator } from '../../core/access/authenticator.js';
import { Unauthenticated } from '../../core/errors/app-error.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import { AccessTokens } from './access-tokens.js';
import { type Revocation, Revocations } from './revocations.js';

const KEPT_MS = 30_000;
const MOST_KEPT = 20_000;

interface Outcome {
  actor: Actor;
  until: number;
}

/**
 * The one way from a token to its bearer, for REST, GraphQL and sockets. An outcome is kept for at most 30 seconds under
 * the hash of the token and dropped on revocation: a warm request costs neither a signature nor a statement.
 */
@Injectable()
export class TokenAuthenticator extends Authenticator {
  private readonly outcomes = new Map<string, Outcome>();

  constructor(
    private readonly tokens: AccessTokens,
    private readonly sessions: SessionsStore,
    private readonly revocations: Revocations,
  ) {
    super();
    revocations.listen((revoked) => this.drop(revoked));
    revocations.onGap(() => this.outcomes.clear());
  }

  async authenticate(authorization: string | undefined): Promise<Actor> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token) throw new Unauthenticated('a bearer token is required');
    const key = createHash('sha256').update(token).digest('base64');
    const kept = this.outcomes.get(key);
    if (kept && kept.until > Date.now()) return kept.actor;
    return this.keep(key, await this.verify(token));
  }

  onRevoked(listener: (revoked: Revocation) => void): () => void {
    return this.revocations.listen(listener);
  }

  private async verify(token: string): Promise<Outcome> {
    const claims = await this.tokens.verify(token);
    const user = await this.sessions.userOf(claims.sid);
    if (!user || user.user_id !== claims.sub)
      throw new Unauthenticated('the session of this token has ended', {
        headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
      });
    const actor = Actor.user({
      id: user.user_id,
      email: user.email,
      installationAdmin: user.installation_admin,
      sessionId: user.session_id,
      defaultOrganizationId: user.default_organization_id,
    });
    return { actor, until: Math.min(Date.now() + KEPT_MS, claims.exp * 1000) };
  }

  private keep(key: string, outcome: Outcome): Actor {
    const oldest = this.outcomes.size >= MOST_KEPT ? this.outcomes.keys().next().value : undefined;
    if (oldest !== undefined) this.outcomes.delete(oldest);
    this.outcomes.delete(key);
    this.outcomes.set(key, outcome);
    return outcome.actor;
  }

  private drop({ userId, sessionId }: Revocation): void {
    for (const [key, { actor }] of this.outcomes)
      if (actor.userId === userId && (sessionId === null || actor.sessionId === sessionId)) this.outcomes.delete(key);
  }
}
