import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { User } from './user.entity.js';

/** Base class of the events of an account. They belong to no organization, because a user may be in several. */
export abstract class UserEvent extends DomainEvent {
  readonly category = 'user';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly user: User,
    metadata: Record<string, unknown> = {},
  ) {
    super(actor, { id: user.id, organizationId: null }, { email: user.email, ...metadata });
  }

  get description(): string {
    return `The account ${this.user.email} ${this.verb}`;
  }
}

export class UserCreated extends UserEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class UserConfirmed extends UserEvent {
  readonly action = 'confirmed';
  protected readonly verb = 'was confirmed by the owner of its address';
}

export class UserLinked extends UserEvent {
  readonly action = 'linked';
  protected readonly verb = 'was linked to the OpenID Connect issuer';
}

export class UserUnlinked extends UserEvent {
  readonly action = 'unlinked';
  protected readonly verb = 'is no longer linked to the OpenID Connect issuer';
}

export class UserUpdated extends UserEvent {
  readonly action = 'updated';
  protected readonly verb: string = 'was changed';
}

/** The account was deactivated, which ends everything that runs on behalf of the user. */
export class UserDeactivated extends UserEvent {
  readonly action = 'deactivated';
  protected readonly verb = 'was deactivated';
}

export class UserReactivated extends UserEvent {
  readonly action = 'reactivated';
  protected readonly verb = 'was reactivated';
}

export class UserPasswordChanged extends UserEvent {
  readonly action = 'password_changed';
  protected readonly verb = 'had the password changed';
}
