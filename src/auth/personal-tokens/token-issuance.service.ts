import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { hashSecretToken, generateSecretToken } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Precondition } from '../../core/rest/precondition.js';
import { RevocationsService } from '../tokens/revocations.service.js';
import { PersonalToken } from './personal-token.entity.js';
import { TokenCreated, TokenRevoked } from './personal-token.events.js';
import type { NewToken } from './personal-token.inputs.js';
import { tokenPolicy } from './personal-token.policy.js';
import { TOKEN_PREFIX } from './personal-token.verifier.js';
import { PersonalTokensStore } from './personal-tokens.store.js';

/** The owner of tokens: a person, or a service account in its organization. */
export interface TokenOwner {
  userId: string;
  organizationId: string | null;
}

/** Creates and revokes tokens; the caller has checked the rights. */
@Injectable()
export class TokenIssuanceService {
  constructor(
    private readonly tokens: PersonalTokensStore,
    private readonly revocations: RevocationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Creates a token. One created with another token has neither more scopes nor a later expiry than that one. */
  async issue(actor: Actor, owner: TokenOwner, input: NewToken): Promise<{ record: PersonalToken; secret: string }> {
    for (const scope of input.scopes) assertScope(actor, { ...tokenPolicy.create, scope });
    const secret = `${TOKEN_PREFIX}${owner.organizationId ? 'svc' : 'pat'}_${generateSecretToken()}`;
    return this.runAsSystem(async () => {
      const record = await this.tokens.insert(
        Object.assign(new PersonalToken(), {
          userId: owner.userId,
          name: input.name,
          scopes: [...input.scopes],
          hash: hashSecretToken(secret),
          expiresAt: await this.resolveExpiry(actor, input),
          lastUsedAt: null,
        }),
      );
      await this.events.publish(new TokenCreated(actor, record, owner.organizationId));
      return { record, secret };
    });
  }

  /** @throws NotFound when the owner has no such token */
  async revoke(
    actor: Actor,
    { userId, organizationId }: TokenOwner,
    id: string,
    match: Precondition,
  ): Promise<PersonalToken> {
    return this.runAsSystem(async () => {
      const token = await this.tokens.lock(userId, id);
      if (!token) throw new NotFound('token', id);
      match.assertMatches(token);
      await this.tokens.softDelete(token);
      await this.revocations.revoke({ userId, sessionId: id });
      await this.events.publish(new TokenRevoked(actor, token, organizationId));
      return token;
    });
  }

  /** Runs as the system, because the rights to tokens are checked here and not by the database. */
  private runAsSystem<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.runAsSystem('writing a token', () => this.unit.run(work));
  }

  private async resolveExpiry(actor: Actor, { expires_at: wished }: NewToken): Promise<Date | null> {
    const expiry = wished ? new Date(wished) : null;
    if (expiry && !(expiry.getTime() > Date.now()))
      throw InvalidRequest.forField('/expires_at', 'must be in the future');
    const own = actor.userId && actor.sessionId ? await this.tokens.find(actor.userId, actor.sessionId) : null;
    if (!own?.expiresAt) return expiry;
    if (expiry && expiry > own.expiresAt)
      throw InvalidRequest.forField('/expires_at', 'must not be after the expiry of the token that makes it');
    return expiry ?? own.expiresAt;
  }
}
