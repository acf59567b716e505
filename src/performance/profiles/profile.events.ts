import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { PerformanceProfile } from './profile.entity.js';

/** An event of a profile. */
export abstract class PerformanceProfileEvent extends DomainEvent {
  readonly category = 'performance';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly profile: PerformanceProfile,
  ) {
    super(
      actor,
      { id: profile.id, organizationId: profile.organizationId, workspaceId: profile.workspaceId },
      { name: profile.name },
    );
  }

  get description(): string {
    return `Performance profile ${this.profile.name} ${this.verb}`;
  }
}

export class PerformanceProfileCreated extends PerformanceProfileEvent {
  readonly action = 'profile_created';
  protected readonly verb = 'was created';
}

export class PerformanceProfileUpdated extends PerformanceProfileEvent {
  readonly action = 'profile_updated';
  protected readonly verb = 'was changed';
}

export class PerformanceProfileDeleted extends PerformanceProfileEvent {
  readonly action = 'profile_deleted';
  protected readonly verb = 'was deleted';
}
