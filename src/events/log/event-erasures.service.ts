import { Injectable } from '@nestjs/common';
import { NIL } from 'uuid';
import type { Actor } from '../../core/access/actor.js';
import { runAsSystem } from '../../core/database/row-security.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { type PersonalIdentifiers, PersonalIdentifiersStore } from '../audit/personal-identifiers.store.js';
import { INSTALLATION_FEED } from '../feed.store.js';
import { AuditService } from '../audit/audit.service.js';
import { PersonalDataErased } from './event-log.events.js';
import { eventLogPolicy } from './event-log.policy.js';
import { EventLogStore } from './event-log.store.js';
import type { EventErasureView } from './event-log.view.js';

const BATCH = 2_000;

/** Erases the personal data of a user from the events of an organization or of the installation, webhook deliveries and the audit. */
@Injectable()
export class EventErasuresService {
  constructor(
    private readonly log: EventLogStore,
    private readonly identifiers: PersonalIdentifiersStore,
    private readonly audit: AuditService,
    private readonly organizations: OrganizationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** An interrupted erasure can be repeated; it is idempotent. */
  async erase(actor: Actor, organizationId: string, userId: string): Promise<EventErasureView> {
    await this.organizations.authorize(actor, eventLogPolicy.erase, organizationId);
    return this.eraseFeed(actor, organizationId, userId);
  }

  /** As `erase`, from what belongs to no organization, such as the events of accounts. */
  async eraseInstallation(actor: Actor, userId: string): Promise<EventErasureView> {
    return this.eraseFeed(actor, INSTALLATION_FEED, userId);
  }

  private async eraseFeed(actor: Actor, feed: string, userId: string): Promise<EventErasureView> {
    await this.audit.assertErasable(actor, feed, userId);
    const person = await runAsSystem('erasure of personal data', () => this.identifiers.find(userId));
    const erased = await runAsSystem('erasure of personal data', () => this.eraseEvents(feed, person));
    await this.unit.run(() => this.events.publish(new PersonalDataErased(actor, feed, userId, erased)));
    // The audit is last, because it also records the changes made above.
    const audited = await this.audit.erase(actor, feed, userId, person);
    return { user_id: userId, ...erased, audit_entries: audited };
  }

  private async eraseEvents(feed: string, { accounts, addresses }: PersonalIdentifiers): Promise<Erased> {
    const erased = { events: 0, deliveries: 0 };
    for (const address of addresses) {
      const { events, deliveries } = await this.eraseAddress(feed, address);
      erased.events += events;
      erased.deliveries += deliveries;
    }
    if (feed !== INSTALLATION_FEED) return erased;
    for (const account of accounts) erased.events += await this.unit.run(() => this.log.eraseSubject(account));
    return erased;
  }

  private async eraseAddress(feed: string, address: string): Promise<Erased> {
    const erased = { events: 0, deliveries: 0 };
    await this.unit.run(() => this.log.eraseInvitations(feed, address));
    for (let after: string | null = '0'; after !== null;) {
      const part = await this.log.eraseAfter(feed, address, after, BATCH);
      erased.events += part.events;
      erased.deliveries += part.deliveries;
      after = part.last;
    }
    for (let after: string | null = NIL; after !== null;) {
      const part = await this.log.eraseDeliveriesAfter(feed, address, after, BATCH);
      erased.deliveries += part.deliveries;
      after = part.last;
    }
    return erased;
  }
}

interface Erased {
  events: number;
  deliveries: number;
}
