import type { Actor } from '../core/access/actor.js';
import { DomainEvent } from '../core/events/domain-event.js';
import type { Environment } from './environment.entity.js';

/** An event of an environment. */
export abstract class EnvironmentEvent extends DomainEvent {
  readonly category = 'environment';
  protected abstract readonly verb: string;

  constructor(
    actor: Actor,
    readonly environment: Environment,
    metadata: Record<string, unknown> = {},
  ) {
    super(
      actor,
      { id: environment.id, organizationId: environment.organizationId },
      { name: environment.name, ...metadata },
    );
  }

  get description(): string {
    return `Environment ${this.environment.name} ${this.verb}`;
  }
}

export class EnvironmentCreated extends EnvironmentEvent {
  readonly action = 'created';
  protected readonly verb = 'was created';
}

export class EnvironmentUpdated extends EnvironmentEvent {
  readonly action = 'updated';
  protected readonly verb = 'was changed';
}

export class EnvironmentArchived extends EnvironmentEvent {
  readonly action = 'archived';
  protected readonly verb = 'was archived';
}

/** It is active again; `deletedAt` is when it was deleted, null when it was only archived. */
export class EnvironmentRestored extends EnvironmentEvent {
  readonly action = 'restored';
  protected readonly verb = 'was restored';

  constructor(
    actor: Actor,
    environment: Environment,
    readonly deletedAt: Date | null,
  ) {
    super(actor, environment);
  }
}

/** Listeners veto it while deployments use the environment. */
export class EnvironmentDeleted extends EnvironmentEvent {
  readonly action = 'deleted';
  protected readonly verb = 'was deleted';
}

export class ConnectionAdded extends EnvironmentEvent {
  readonly action = 'connection_added';
  protected readonly verb = 'had a connection added';
}

/** Listeners veto it while deployments into the environment use the connection. */
export class ConnectionRemoved extends EnvironmentEvent {
  readonly action = 'connection_removed';
  protected readonly verb = 'had a connection removed';

  constructor(
    actor: Actor,
    environment: Environment,
    readonly connectionId: string,
  ) {
    super(actor, environment, { connection_id: connectionId });
  }
}
