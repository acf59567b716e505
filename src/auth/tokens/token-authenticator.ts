import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Authenticator } from '../../core/access/authenticator.js';
import { asSystem } from '../../core/database/row-security.js';
import { Unauthenticated } from '../../core/errors/app-error.js';
import { ExternalTokens } from '../external/external-tokens.js';
import { PersonalTokens } from '../personal-tokens/personal-tokens.js';
import { invalidToken, type Outcome } from './outcome.js';
import { type Revocation, Revocations } from './revocations.js';
import { SessionTokens } from './session-tokens.js';

/** Headers are no longer anyway; what a socket sends to sign in could be. */
const LONGEST_TOKEN = 16_384;
const KEPT_MS = 30_000;
const MOST_KEPT = 20_000;

interface Kept extends Outcome {
  until: number;
}

/**
 * The one way from a token to its bearer, for REST, GraphQL and sockets. An outcome is kept for at most 30 seconds under
 * the hash of the token and dropped on revocation: a warm request costs neither a signature nor a statement.
 */
@Injectable()
export class TokenAuthenticator extends Authenticator {
  private readonly outcomes = new Map<string, Kept>();
  /** Counts notices: an outcome found while one came may be of before it, and is not kept. */
  private notices = 0;

  constructor(
    private readonly sessions: SessionTokens,
    private readonly personal: PersonalTokens,
    private readonly external: ExternalTokens,
    private readonly revocations: Revocations,
  ) {
    super();
    revocations.listen((revoked) => this.drop(revoked));
    revocations.onGap(() => this.forget());
  }

  async authenticate(authorization: string | undefined): Promise<Actor> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token) throw new Unauthenticated('a bearer token is required');
    if (token.length > LONGEST_TOKEN) throw invalidToken('the token is too long');
    const key = createHash('sha256').update(token).digest('base64');
    const outcome = this.known(key) ?? (await this.find(key, token));
    outcome.used?.();
    return outcome.actor;
  }

  onRevoked(listener: (revoked: Revocation) => void): () => void {
    return this.revocations.listen((notice) => {
      if (notice.ended) listener(notice);
    });
  }

  private known(key: string): Outcome | null {
    const kept = this.outcomes.get(key);
    return kept && kept.until > Date.now() ? kept : null;
  }

  private async find(key: string, token: string): Promise<Outcome> {
    const before = this.notices;
    // Nobody has been let in yet: it is the system that looks.
    const outcome = await asSystem('checking a token', () => this.kindOf(token).verify(token));
    if (before === this.notices) this.keep(key, outcome);
    return outcome;
  }

  private kindOf(token: string): PersonalTokens | ExternalTokens | SessionTokens {
    if (this.personal.recognizes(token)) return this.personal;
    return this.external.recognizes(token) ? this.external : this.sessions;
  }

  private keep(key: string, outcome: Outcome): void {
    const oldest = this.outcomes.size >= MOST_KEPT ? this.outcomes.keys().next().value : undefined;
    if (oldest !== undefined) this.outcomes.delete(oldest);
    this.outcomes.delete(key);
    this.outcomes.set(key, { ...outcome, until: Math.min(Date.now() + KEPT_MS, outcome.expires ?? Infinity) });
  }

  private drop({ userId, sessionId }: Revocation): void {
    this.notices++;
    for (const [key, { actor }] of this.outcomes)
      if (actor.userId === userId && (sessionId === null || actor.sessionId === sessionId)) this.outcomes.delete(key);
  }

  private forget(): void {
    this.notices++;
    this.outcomes.clear();
  }
}
