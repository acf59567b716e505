import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import type { EntityType } from './entity-type.js';
import type { EntryStatus } from './entry-status.js';

/** The result of registering one entity. */
export type RegistrationOutcome = 'registered' | 'updated' | 'unchanged';

/** Models, components and relationships together. */
export type RegistrationCounts = Record<RegistrationOutcome | 'failed', number>;

/** An event of the registry, which belongs to the whole installation. */
abstract class RegistryEvent extends DomainEvent {
  readonly category = 'registry';

  constructor(
    actor: Actor,
    id: string,
    readonly description: string,
    metadata: Record<string, unknown>,
  ) {
    super(actor, { id, organizationId: null }, metadata);
  }
}

/** One event for a whole registration, however large; `id` is that of its first model. */
export class EntitiesRegistered extends RegistryEvent {
  readonly action = 'registered';

  constructor(actor: Actor, id: string, models: string[], counts: RegistrationCounts) {
    const named = models.length > 3 ? `${models.length} models` : models.join(', ');
    const taken = counts.registered + counts.updated;
    super(actor, id, `${taken} entities of ${named} were registered`, { ...counts, models: models.slice(0, 100) });
  }
}

export class EntityStatusChanged extends RegistryEvent {
  readonly action = 'status_changed';

  constructor(actor: Actor, entity: { type: EntityType; id: string; name: string }, status: EntryStatus) {
    const { type, id, name } = entity;
    super(actor, id, `The ${type} ${name} was ${status}`, { entity_type: type, name, status });
  }
}

export class ModelDeleted extends RegistryEvent {
  readonly action = 'deleted';

  constructor(actor: Actor, model: { id: string; name: string; version: string }) {
    const { id, name, version } = model;
    super(actor, id, `The model ${name} ${version} was deleted`, { name, version });
  }
}
