import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { Job } from '../../jobs/job.js';
import { UsersStore } from './users.store.js';

/** The people whose wishes jobs carry out. */
@Injectable()
export class JobActorsService {
  constructor(private readonly users: UsersStore) {}

  /**
   * Whoever asked for a job, with the rights they have by now.
   * @throws NotFound when nobody did, or when their account is deactivated or gone
   */
  async resolve({ requestedBy }: Pick<Job, 'requestedBy'>): Promise<Actor> {
    const user = requestedBy === null ? null : await this.users.find(requestedBy);
    if (!user || user.deactivatedAt) throw new NotFound('user', requestedBy ?? '');
    return Actor.user(user);
  }
}
