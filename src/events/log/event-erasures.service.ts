import { Injectable } from '@nestjs/common';
import { NIL } from 'uuid';
import type { Actor } from '../../core/access/actor.js';
import { runAsSystem } from '../../core/database/row-security.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { AuditService } from '../audit/audit.service.js';
import { PersonalDataErased } from './event-log.events.js';
import { eventLogPolicy } from './event-log.policy.js';
import { EventLogStore } from './event-log.store.js';
import type { EventErasureView } from './event-log.view.js';

const BATCH = 2_000;

/** Erases the personal data of a user from the events of an organization, its webhook deliveries and its audit. */
@Injectable()
export class EventErasuresService {
  constructor(
    private readonly log: EventLogStore,
    private readonly audit: AuditService,
    private readonly organizations: OrganizationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** An interrupted erasure can be repeated; it is idempotent. */
  async erase(actor: Actor, organizationId: string, userId: string): Promise<EventErasureView> {
    await this.organizations.authorize(actor, eventLogPolicy.erase, organizationId);
    await this.audit.assertErasable(actor, organizationId, userId);
    const erased = await runAsSystem('erasure of personal data', () => this.eraseEvents(organizationId, userId));
    await this.unit.run(() => this.events.publish(new PersonalDataErased(actor, organizationId, userId, erased)));
    // The audit is last, because it also records the changes made above.
    const audited = await this.audit.erase(actor, organizationId, userId);
    return { user_id: userId, ...erased, audit_entries: audited };
  }

  private async eraseEvents(feed: string, userId: string): Promise<{ events: number; deliveries: number }> {
    const erased = { events: 0, deliveries: 0 };
    const address = await this.log.findAddress(userId);
    if (address === null) return erased;
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
