import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { AppError, InvalidRequest } from '../../core/errors/app-error.js';
import { internalError } from '../../core/errors/problem.js';
import type { Job } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { KeptEventsStore } from '../kept-events.store.js';
import { notYetGiven } from '../replay-expired.js';
import type { EventPurge } from './event-log.inputs.js';
import { eventLogPolicy } from './event-log.policy.js';
import { EventPurgeRunner, type PurgePayload } from './event-purge.runner.js';

const QUEUE = 'event-purge';
const PATIENCE_MS = 60_000;
const MOST_ATTEMPTS = 5;

/** Purges the oldest events of an organization, as a job that survives a crash. */
@Injectable()
export class EventPurgesService implements OnModuleInit {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly kept: KeptEventsStore,
    private readonly jobs: JobsService,
    private readonly runner: EventPurgeRunner,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler<PurgePayload>(QUEUE, {
      concurrency: 1,
      handle: (job, context) => this.runner.run(job, context),
      authorize: (actor, { payload }) =>
        this.organizations.authorize(actor, eventLogPolicy.purge, payload.organizationId),
    });
  }

  /**
   * @returns the job: finished, unless it takes longer than `PATIENCE_MS` or the caller does not wait
   * @throws the error of the failed job
   */
  async purge(actor: Actor, organizationId: string, input: EventPurge, isLater: boolean): Promise<Job> {
    await this.organizations.authorize(actor, eventLogPolicy.purge, organizationId);
    const { name } = await this.organizations.get(actor, organizationId);
    if (input.confirm !== name)
      throw InvalidRequest.forField('/confirm', `must be the name of the organization, ${name}`);
    const job = await this.jobs.enqueue<PurgePayload>(actor, {
      queue: QUEUE,
      payload: { organizationId, ...(await this.plan(organizationId, input)) },
      organizationId,
      serialKey: `${QUEUE} ${organizationId}`,
      mostAttempts: MOST_ATTEMPTS,
    });
    if (isLater) return job;
    const finished = await this.jobs.waitUntilFinished(job.id, { timeoutMs: PATIENCE_MS });
    if (finished?.status === 'failed') throw toError(finished);
    return finished ?? job;
  }

  private async plan(organizationId: string, input: EventPurge): Promise<Omit<PurgePayload, 'organizationId'>> {
    const before = input.before === undefined ? null : new Date(input.before);
    if ((before === null) === (input.through === undefined))
      throw InvalidRequest.forField('/through', 'or before must be given, one of the two');
    if (before && before.getTime() > Date.now()) throw InvalidRequest.forField('/before', 'must not be in the future');
    const { oldest, last } = await this.kept.findRange(organizationId);
    const through = before ? await this.kept.findLastBefore(organizationId, before) : BigInt(input.through ?? 0);
    if (through > last) throw notYetGiven('/through', last);
    const events = through < oldest ? 0 : Number(through - oldest + 1n);
    return { through: through.toString(), before: before?.toISOString() ?? null, events };
  }
}

function toError({ error }: Job): AppError {
  if (!error) return internalError(new Error('a purge failed without a reason'));
  return new AppError(error.status, error.code, error.title, error.detail, { remedy: error.remedy });
}
