import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { Job } from '../../jobs/job.js';
import { UsersStore } from './users.store.js';

/** The users on whose behalf jobs run. */
@Injectable()
export class JobActorsService {
  constructor(private readonly users: UsersStore) {}

  /**
   * The user who requested a job, with their current rights.
   * @throws NotFound when the job has no user, or their account is deactivated or deleted
   */
  async resolve({ requestedBy }: Pick<Job, 'requestedBy'>): Promise<Actor> {
    const user = requestedBy === null ? null : await this.users.find(requestedBy);
    if (!user || user.deactivatedAt) throw new NotFound('user', requestedBy ?? '');
    return Actor.user(user);
  }
}
