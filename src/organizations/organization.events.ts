import type { Actor } from '../core/access/actor.js';
import { DomainEvent } from '../core/events/domain-event.js';
import type { Organization } from './organization.entity.js';

abstract class OrganizationEvent extends DomainEvent {
  readonly category = 'organization';

  constructor(
    actor: Actor,
    readonly organization: Organization,
    metadata: Record<string, unknown> = {},
  ) {
    super(actor, { id: organization.id, organizationId: organization.id }, { name: organization.name, ...metadata });
  }
}

export class OrganizationCreated extends OrganizationEvent {
  readonly action = 'created';
  get description(): string {
    return `Organization ${this.organization.name} was created`;
  }
}

export class OrganizationUpdated extends OrganizationEvent {
  readonly action = 'updated';
  get description(): string {
    return `Organization ${this.organization.name} was changed`;
  }
}

export class OrganizationDeleted extends OrganizationEvent {
  readonly action = 'deleted';
  get description(): string {
    return `Organization ${this.organization.name} was deleted`;
  }
}
