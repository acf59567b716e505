import type { Actor } from '../../core/access/actor.js';
import type { Environment } from '../environment.entity.js';
import { EnvironmentEvent } from '../environment.events.js';
import type { Freeze } from './freeze.entity.js';

/** A freeze of an environment has changed, and the environment with it. */
abstract class FreezeEvent extends EnvironmentEvent {
  readonly action = 'updated';

  constructor(actor: Actor, environment: Environment, change: 'created' | 'updated' | 'deleted', freeze: Freeze) {
    const { id, name, startsAt, endsAt, recurrence, timezone } = freeze;
    super(actor, environment, {
      freeze: { id, name, change, starts_at: startsAt, ends_at: endsAt, recurrence, timezone },
    });
  }
}

export class FreezeCreated extends FreezeEvent {
  protected readonly verb = 'got a freeze';

  constructor(actor: Actor, environment: Environment, freeze: Freeze) {
    super(actor, environment, 'created', freeze);
  }
}

export class FreezeUpdated extends FreezeEvent {
  protected readonly verb = 'has a changed freeze';

  constructor(actor: Actor, environment: Environment, freeze: Freeze) {
    super(actor, environment, 'updated', freeze);
  }
}

export class FreezeDeleted extends FreezeEvent {
  protected readonly verb = 'lost a freeze';

  constructor(actor: Actor, environment: Environment, freeze: Freeze) {
    super(actor, environment, 'deleted', freeze);
  }
}
