import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { Team } from './team.entity.js';

/** Base class of the events of a team. */
export abstract class TeamEvent extends DomainEvent {
  readonly category = 'team';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly team: Team,
    metadata: Record<string, unknown> = {},
  ) {
    super(actor, { id: team.id, organizationId: team.organizationId }, { name: team.name, ...metadata });
  }

  get description(): string {
    return `Team ${this.team.name} ${this.verb}`;
  }
}

export class TeamCreated extends TeamEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class TeamUpdated extends TeamEvent {
  readonly action = 'updated';
  protected readonly verb = 'was changed';
}

/** The team and the roles that it was granted are deleted. */
export class TeamDeleted extends TeamEvent {
  readonly action = 'deleted';
  protected readonly verb = 'was deleted';
}

abstract class TeamMemberEvent extends TeamEvent {
  constructor(actor: Actor, team: Team, member: { id: string; email: string }) {
    super(actor, team, { user_id: member.id, email: member.email });
  }
}

export class TeamMemberAdded extends TeamMemberEvent {
  readonly action = 'member_added';
  protected readonly verb = 'had a member added';
}

export class TeamMemberRemoved extends TeamMemberEvent {
  readonly action = 'member_removed';
  protected readonly verb = 'had a member removed';
}
