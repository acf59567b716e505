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
  protected readonly verb = 'had a freeze window created';

  constructor(actor: Actor, environment: Environment, freeze: Freeze) {
    super(actor, environment, 'created', freeze);
  }
}

export class FreezeUpdated extends FreezeEvent {
  protected readonly verb = 'had a freeze window changed';

  constructor(actor: Actor, environment: Environment, freeze: Freeze) {
    super(actor, environment, 'updated', freeze);
  }
}

export class FreezeDeleted extends FreezeEvent {
  protected readonly verb = 'had a freeze window deleted';

  constructor(actor: Actor, environment: Environment, freeze: Freeze) {
    super(actor, environment, 'deleted', freeze);
  }
}
