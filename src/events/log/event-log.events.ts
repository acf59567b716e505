import type { Actor } from '../../core/access/actor.js';
import { DomainEvent } from '../../core/events/domain-event.js';
import { INSTALLATION_FEED } from '../feed.store.js';

/** The oldest events of an organization were permanently removed. */
export class EventsPurged extends DomainEvent {
  readonly category = 'organization';
  readonly action = 'events_purged';
  override readonly severity = 'warning';

  constructor(
    actor: Actor,
    organizationId: string,
    readonly purged: { through: string; events: number },
  ) {
    super(actor, { id: organizationId, organizationId }, purged);
  }

  get description(): string {
    return `Events up to ${this.purged.through} were purged`;
  }
}

/** Personal data of a user was erased from events. The description does not name the user. */
export class PersonalDataErased extends DomainEvent {
  readonly category = 'organization';
  readonly action = 'personal_data_erased';
  readonly description = 'Personal data was erased from events';

  /** @param feed the organization, or the feed of the installation */
  constructor(actor: Actor, feed: string, userId: string, erased: { events: number; deliveries: number }) {
    const organizationId = feed === INSTALLATION_FEED ? null : feed;
    super(actor, { id: organizationId ?? userId, organizationId }, { user_id: userId, ...erased });
  }
}
