import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { PersonalToken } from './personal-token.entity.js';

/** Base class of the events of a token. The organization is that of a service account; tokens of people belong to none. */
abstract class TokenEvent extends DomainEvent {
  readonly category = 'token';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly token: PersonalToken,
    organizationId: string | null,
  ) {
    const { id, name, userId, scopes, expiresAt } = token;
    super(
      actor,
      { id, organizationId },
      { name, user_id: userId, scopes, expires_at: expiresAt?.toISOString() ?? null },
    );
  }

  get description(): string {
    return `Token ${this.token.name} ${this.verb}`;
  }
}

export class TokenCreated extends TokenEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class TokenRevoked extends TokenEvent {
  readonly action = 'revoked';
  protected readonly verb = 'was revoked';
}
