import type { Actor } from '../core/access/actor.js';
import { DomainEvent } from '../core/events/domain-event.js';
import type { Design } from './design.entity.js';
import { countOf } from '../core/errors/wording.js';

/** Base class of the events of a design. */
export abstract class DesignEvent extends DomainEvent {
  readonly category = 'design';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly design: Design,
    metadata: Record<string, unknown> = {},
  ) {
    super(
      actor,
      { id: design.id, organizationId: design.organizationId, workspaceId: design.workspaceId },
      { name: design.name, version: design.version, ...metadata },
    );
  }

  get description(): string {
    return `Design ${this.design.name} ${this.verb}`;
  }
}

export class DesignCreated extends DesignEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class DesignImported extends DesignEvent {
  readonly action = 'imported';
  protected readonly verb = 'was imported';
}

export class DesignUpdated extends DesignEvent {
  readonly action = 'updated';
  protected readonly verb = 'was changed';
}

export class DesignCloned extends DesignEvent {
  readonly action = 'cloned';
  protected readonly verb = 'was cloned from another design';
}

export class DesignPublished extends DesignEvent {
  readonly action = 'published';
  protected readonly verb = 'was published';
}

export class DesignUnpublished extends DesignEvent {
  readonly action = 'unpublished';
  protected readonly verb = 'was unpublished';
}

/** Listeners veto it while deployments of the design prevent it. */
export class DesignMoved extends DesignEvent {
  readonly action = 'moved';
  protected readonly verb = 'was moved to another workspace';
}

/** Listeners veto it while the design is deployed. */
export class DesignDeleted extends DesignEvent {
  readonly action = 'deleted';
  protected readonly verb = 'was deleted';
}

/** Several designs of one workspace were deleted together. Listeners may veto it as for each single design. */
export class DesignsDeleted extends DomainEvent {
  readonly category = 'design';
  readonly action = 'deleted';

  constructor(
    actor: Actor,
    readonly designs: readonly Design[],
    { workspaceId, organizationId }: Pick<Design, 'workspaceId' | 'organizationId'>,
  ) {
    super(
      actor,
      { id: workspaceId, organizationId, workspaceId },
      { count: designs.length, designs: designs.map(({ id, name }) => ({ id, name })) },
    );
  }

  get description(): string {
    return `Deleted ${countOf(this.designs.length, 'design')}`;
  }
}

export class DesignRestored extends DesignEvent {
  readonly action = 'restored';
  protected readonly verb = 'was restored';
}
