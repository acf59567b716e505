import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Authenticator } from '../../core/access/authenticator.js';
import { runAsSystem } from '../../core/database/row-security.js';
import { Unauthenticated } from '../../core/errors/app-error.js';
import { ExternalTokenVerifier } from '../external/external-token.verifier.js';
import { PersonalTokenVerifier } from '../personal-tokens/personal-token.verifier.js';
import { invalidToken, type VerifiedToken } from './verified-token.js';
import { type Revocation, RevocationsService } from './revocations.service.js';
import { SessionTokenVerifier } from './session-token.verifier.js';

/** Headers are no longer anyway; what a socket sends to sign in could be. */
const MAX_TOKEN_LENGTH = 16_384;
const CACHE_MAX_AGE_MS = 30_000;
const MAX_CACHED = 20_000;

interface CachedToken extends VerifiedToken {
  until: number;
}

/**
 * The one way from a token to its bearer, for REST, GraphQL and sockets. An outcome is kept for at most 30 seconds under
 * the hash of the token and dropped on revocation: a warm request costs neither a signature nor a statement.
 */
@Injectable()
export class TokenAuthenticator extends Authenticator {
  private readonly cache = new Map<string, CachedToken>();
  /** Counts notices: an outcome found while one came may be of before it, and is not kept. */
  private notices = 0;

  constructor(
    private readonly sessions: SessionTokenVerifier,
    private readonly personal: PersonalTokenVerifier,
    private readonly external: ExternalTokenVerifier,
    private readonly revocations: RevocationsService,
  ) {
    super();
    revocations.subscribe((revoked) => this.evict(revoked));
    revocations.onGap(() => this.clear());
  }

  async authenticate(authorization: string | undefined): Promise<Actor> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token) throw new Unauthenticated('a bearer token is required');
    if (token.length > MAX_TOKEN_LENGTH) throw invalidToken('the token is too long');
    const key = createHash('sha256').update(token).digest('base64');
    const outcome = this.findCached(key) ?? (await this.verify(key, token));
    outcome.onUse?.();
    return outcome.actor;
  }

  onRevoked(listener: (revoked: Revocation) => void): () => void {
    return this.revocations.subscribe((notice) => {
      if (notice.ended) listener(notice);
    });
  }

  private findCached(key: string): VerifiedToken | null {
    const kept = this.cache.get(key);
    return kept && kept.until > Date.now() ? kept : null;
  }

  private async verify(key: string, token: string): Promise<VerifiedToken> {
    const before = this.notices;
    // Nobody has been let in yet: it is the system that looks.
    const outcome = await runAsSystem('checking a token', () => this.verifierFor(token).verify(token));
    if (before === this.notices) this.store(key, outcome);
    return outcome;
  }

  private verifierFor(token: string): PersonalTokenVerifier | ExternalTokenVerifier | SessionTokenVerifier {
    if (this.personal.recognizes(token)) return this.personal;
    return this.external.recognizes(token) ? this.external : this.sessions;
  }

  private store(key: string, outcome: VerifiedToken): void {
    const oldest = this.cache.size >= MAX_CACHED ? this.cache.keys().next().value : undefined;
    if (oldest !== undefined) this.cache.delete(oldest);
    this.cache.delete(key);
    this.cache.set(key, { ...outcome, until: Math.min(Date.now() + CACHE_MAX_AGE_MS, outcome.expiresAt ?? Infinity) });
  }

  private evict({ userId, sessionId }: Revocation): void {
    this.notices++;
    for (const [key, { actor }] of this.cache)
      if (actor.userId === userId && (sessionId === null || actor.sessionId === sessionId)) this.cache.delete(key);
  }

  private clear(): void {
    this.notices++;
    this.cache.clear();
  }
}
