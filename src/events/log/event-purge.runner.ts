import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import type { Job } from '../../jobs/job.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { JobActorsService } from '../../organizations/users/job-actors.service.js';
import { EventRetentionService } from '../retention/event-retention.service.js';
import { EventsPurged } from './event-log.events.js';
import { eventLogPolicy } from './event-log.policy.js';
import type { EventPurgeView } from './event-log.view.js';

/** The payload of a purge job. */
export interface PurgePayload {
  organizationId: string;
  through: string;
  before: string | null;
  /** The number of events to remove, over all attempts. */
  events: number;
}

/** Runs purges. An interrupted purge resumes at the oldest remaining event. */
@Injectable()
export class EventPurgeRunner {
  constructor(
    private readonly requesters: JobActorsService,
    private readonly organizations: OrganizationsService,
    private readonly retention: EventRetentionService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async run(job: Job<PurgePayload>, { signal, reportProgress, assertLeased }: JobContext): Promise<EventPurgeView> {
    const { organizationId, through, before, events } = job.payload;
    const actor = await this.requesters.resolve(job);
    await this.organizations.authorize(actor, eventLogPolicy.purge, organizationId);
    let removed = 0;
    const end = { through: BigInt(through), before: before === null ? null : new Date(before) };
    await this.retention.remove(organizationId, end, signal, (some) => {
      removed += some;
      reportProgress({ removed, of: events });
    });
    await this.unit.run(async () => {
      await this.events.publish(new EventsPurged(actor, organizationId, { through, events }));
      await assertLeased();
    });
    return { organization_id: organizationId, through, events };
  }
}
