import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { Authenticator } from '../core/access/authenticator.js';
import { runAsSystem } from '../core/database/row-security.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import { RateLimitService } from '../core/rest/rate-limit.service.js';
import { RejectedTokens } from './tokens/rejected-tokens.js';
import { invalidToken, type VerifiedToken } from './tokens/verified-token.js';
import { type Revocation, type RevocationNotice, RevocationsService } from './tokens/revocations.service.js';
import { TokenStrategies } from './token-strategies.js';

/** Maximum token length; headers cannot be longer, but the connection payload of a WebSocket could be. */
const MAX_TOKEN_LENGTH = 65_536;
const CACHE_MAX_AGE_MS = 30_000;
const MAX_CACHED = 20_000;

interface CachedToken extends VerifiedToken {
  /** In time of `performance.now()`, so that setting the clock back does not extend it. */
  keptUntil: number;
}

/**
 * Authenticates tokens for REST, GraphQL and WebSockets. A result is cached for at most 30 seconds under the hash of the token, and
 * dropped on revocation. A cached request needs neither a signature check nor a statement.
 */
@Injectable()
export class TokenAuthenticator extends Authenticator implements OnModuleInit {
  private readonly cache = new Map<string, CachedToken>();
  private readonly rejected = new RejectedTokens();
  /** Counts revocation notices. A result is not cached if a notice arrived during its verification, because it may be outdated. */
  private notices = 0;

  constructor(
    private readonly strategies: TokenStrategies,
    private readonly revocations: RevocationsService,
    private readonly limit: RateLimitService,
  ) {
    super();
  }

  onModuleInit(): void {
    this.revocations.subscribe((notice) => this.evict(notice));
    this.revocations.onGap(() => this.clear());
  }

  authenticate(request: IncomingMessage, getNetwork: () => string): Actor | Promise<Actor> {
    const token = readBearerToken(request);
    if (!token) throw new Unauthenticated('a bearer token is required');
    if (token.length > MAX_TOKEN_LENGTH) throw invalidToken('the token is too long');
    const key = hash('sha256', token, 'base64');
    const known = this.findCached(key);
    return known ? admit(known) : this.verifyCounted(request, token, key, getNetwork).then(admit);
  }

  onRevoked(listener: (revoked: Revocation) => void): () => void {
    return this.revocations.subscribe((notice) => {
      if (notice.ended) listener(notice);
    });
  }

  private findCached(key: string): VerifiedToken | null {
    const kept = this.cache.get(key);
    if (!kept || kept.keptUntil <= performance.now()) return null;
    return (kept.actor.expiresAt ?? Infinity) > Date.now() ? kept : null;
  }

  /** A token that was valid before and has not been revoked does not count as a failed attempt. */
  private async verifyCounted(
    request: IncomingMessage,
    token: string,
    key: string,
    getNetwork: () => string,
  ): Promise<VerifiedToken> {
    if (this.cache.has(key)) return this.verify(request, token, key);
    const rejection = this.rejected.find(key);
    if (rejection) throw rejection;
    const restore = await this.limit.consumeToken(getNetwork());
    const before = this.notices;
    try {
      const outcome = await this.verify(request, token, key);
      await restore();
      return outcome;
    } catch (error) {
      if (!(error instanceof Unauthenticated)) await restore();
      else if (before === this.notices) this.rejected.add(key, error);
      throw error;
    }
  }

  private async verify(request: IncomingMessage, token: string, key: string): Promise<VerifiedToken> {
    const before = this.notices;
    // No caller is authenticated yet, so the system actor reads.
    const outcome = await runAsSystem('checking a token', () => this.strategies.verify(request, token));
    if (before === this.notices) this.store(key, outcome);
    return outcome;
  }

  private store(key: string, outcome: VerifiedToken): void {
    const oldest = this.cache.size >= MAX_CACHED ? this.cache.keys().next().value : undefined;
    if (oldest !== undefined) this.cache.delete(oldest);
    this.cache.delete(key);
    this.cache.set(key, { ...outcome, keptUntil: performance.now() + CACHE_MAX_AGE_MS });
  }

  private evict({ userId, sessionId, ended }: RevocationNotice): void {
    this.notices++;
    this.rejected.clear();
    for (const [key, cached] of this.cache) {
      const { actor } = cached;
      if (actor.userId !== userId || (sessionId !== null && actor.sessionId !== sessionId)) continue;
      if (ended) this.cache.delete(key);
      else cached.keptUntil = 0;
    }
  }

  private clear(): void {
    this.notices++;
    this.rejected.clear();
    this.cache.clear();
  }
}

/** The token of the header `Authorization`. */
export function readBearerToken({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function admit({ actor, onUse }: VerifiedToken): Actor {
  onUse?.();
  return actor;
}
