import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, Forbidden, NotFound } from '../../core/errors/app-error.js';
import type { RecordAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { JobHandlerRegistry, type OperationAccess } from '../job-handler.registry.js';
import type { Job } from '../job.js';
import { JobsService } from '../jobs.service.js';
import { JobsStore } from '../jobs.store.js';
import { operationPolicy } from './operation.policy.js';

@Injectable()
export class OperationsService implements RecordAuthorizer {
  constructor(
    private readonly store: JobsStore,
    private readonly jobs: JobsService,
    private readonly handlers: JobHandlerRegistry,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws NotFound when the actor sees no such operation */
  async get(actor: Actor, id: string): Promise<Job> {
    assertScope(actor, operationPolicy.read);
    const job = await this.store.findVisible(actor, id);
    if (!job) throw new NotFound('operation', id);
    try {
      await this.authorizeByKind(actor, job, 'read');
    } catch (error) {
      throw error instanceof Forbidden || error instanceof NotFound ? new NotFound('operation', id) : error;
    }
    return job;
  }

  /** An actor who sees an operation may cancel it, unless its handler's `authorize` denies it. */
  async authorize(actor: Actor, _operation: Operation, id: string): Promise<void> {
    await this.authorizeByKind(actor, await this.get(actor, id), 'cancel');
  }

  /** Cancelling a cancelled operation succeeds without effect. @throws Conflict when it has ended otherwise */
  async cancel(actor: Actor, id: string): Promise<Job> {
    return this.unit.run(async () => {
      await this.authorize(actor, operationPolicy.cancel, id);
      assertScope(actor, operationPolicy.cancel);
      const job = (await this.jobs.cancel(id)) ?? (await this.get(actor, id));
      if (job.status !== 'succeeded' && job.status !== 'failed') return job;
      throw new Conflict('OPERATION_FINISHED', `operation ${id} has already ${job.status}`, {
        remedy: 'There is nothing left to cancel.',
      });
    });
  }

  private async authorizeByKind(actor: Actor, job: Job, access: OperationAccess): Promise<void> {
    if (!actor.isSystem) await this.handlers.find(job.queue)?.authorize?.(actor, job, access);
  }
}
