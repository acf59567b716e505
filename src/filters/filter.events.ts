import type { Actor } from '../core/access/actor.js';
import { DomainEvent } from '../core/events/domain-event.js';
import type { Filter } from './filter.entity.js';

/** An event of a filter. */
export abstract class FilterEvent extends DomainEvent {
  readonly category = 'filter';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly filter: Filter,
    metadata: Record<string, unknown> = {},
  ) {
    super(
      actor,
      { id: filter.id, organizationId: filter.organizationId, workspaceId: filter.workspaceId },
      { name: filter.name, digest: filter.digest, ...metadata },
    );
  }

  get description(): string {
    return `Filter ${this.filter.name} ${this.verb}`;
  }
}

export class FilterCreated extends FilterEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class FilterUpdated extends FilterEvent {
  readonly action = 'updated';
  protected readonly verb = 'was changed';
}

/** The subject of the event is the copy. */
export class FilterCloned extends FilterEvent {
  readonly action = 'cloned';
  protected readonly verb = 'was cloned from another filter';
}

export class FilterPublished extends FilterEvent {
  readonly action = 'published';
  protected readonly verb = 'was published to the catalog';
}

export class FilterUnpublished extends FilterEvent {
  readonly action = 'unpublished';
  protected readonly verb = 'was unpublished';
}

export class FilterDeleted extends FilterEvent {
  readonly action = 'deleted';
  protected readonly verb = 'was deleted';
}

export class FilterRestored extends FilterEvent {
  readonly action = 'restored';
  protected readonly verb = 'was restored';
}
