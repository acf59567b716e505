import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { readDatabaseTime } from '../../core/database/database-time.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { LoadLimits } from '../load/load-limits.js';
import type { PerformanceProfile } from '../profiles/profile.entity.js';
import { ProfilesStore } from '../profiles/profiles.store.js';
import { nextOccurrence } from '../schedules/schedule.js';
import { RunRequestsService } from './run-requests.service.js';
import { RunsStore } from './runs.store.js';

/** Profiles that one look at the schedules begins. */
const MAX_STARTED = 50;

/** Begins runs when the schedules of their profiles come. */
@Injectable()
export class ScheduledRunsService {
  constructor(
    private readonly profiles: ProfilesStore,
    private readonly runs: RunsStore,
    private readonly requests: RunRequestsService,
    private readonly limits: LoadLimits,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * What came several times while no server ran is made up for once. What has no room waits for the next look.
   * @returns how many were begun
   */
  async startDue(): Promise<number> {
    return this.unit.run(async () => {
      const now = await readDatabaseTime(this.unit.manager);
      let started = 0;
      const due = await this.profiles.findDue(MAX_STARTED, this.limits.maxRunsOfOrganization);
      for (const profile of due) if (await this.start(profile, now)) started += 1;
      return started;
    });
  }

  private async start(profile: PerformanceProfile, now: Date): Promise<boolean> {
    const { id, schedule, scheduledBy } = profile;
    if (!schedule || !scheduledBy) return false;
    const isRunning = await this.runs.hasUnfinished(id);
    if (!isRunning && !(await this.requests.hasRoom(profile))) return false;
    await this.profiles.reschedule(id, nextOccurrence(schedule, now));
    if (isRunning) return false;
    await this.requests.requestScheduled(Actor.onBehalfOf(scheduledBy, 'performance schedules'), profile);
    return true;
  }
}
