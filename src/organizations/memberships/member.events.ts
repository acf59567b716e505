import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { AccountState, OrganizationRole } from './member.view.js';

/** Base class of the events of the members of an organization. */
export abstract class OrganizationMemberEvent extends DomainEvent {
  readonly category = 'member';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly organizationId: string,
    readonly member: { id: string; email: string },
    role: OrganizationRole | null,
    account?: AccountState,
  ) {
    super(
      actor,
      { id: member.id, organizationId },
      { email: member.email, ...(role ? { role } : {}), ...(account ? { account } : {}), of: 'organization' },
    );
  }

  get description(): string {
    return `${this.member.email} ${this.verb} the organization`;
  }
}

/** An address was invited; `member` is the invitation. */
export class OrganizationMemberInvited extends OrganizationMemberEvent {
  readonly action = 'invited';
  protected readonly verb = 'was invited to';
}

export class OrganizationMemberAdded extends OrganizationMemberEvent {
  readonly action = 'added';
  protected readonly verb = 'was added to';
}

export class OrganizationMemberRoleChanged extends OrganizationMemberEvent {
  readonly action = 'role_changed';
  protected readonly verb = 'was given a different role in';
}

export class OrganizationMemberRemoved extends OrganizationMemberEvent {
  readonly action = 'removed';
  protected readonly verb = 'was removed from';
}
