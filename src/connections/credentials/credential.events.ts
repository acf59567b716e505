import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { Credential } from './credential.entity.js';

abstract class CredentialEvent extends DomainEvent {
  readonly category = 'credential';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly credential: Credential,
  ) {
    super(
      actor,
      { id: credential.id, organizationId: credential.organizationId },
      { name: credential.name, type: credential.type },
    );
  }

  get description(): string {
    return `Credential ${this.credential.name} ${this.verb}`;
  }
}

export class CredentialCreated extends CredentialEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class CredentialUpdated extends CredentialEvent {
  readonly action = 'updated';
  protected readonly verb = 'was changed';
}

export class CredentialDeleted extends CredentialEvent {
  readonly action = 'deleted';
  protected readonly verb = 'was deleted';
}
