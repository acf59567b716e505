import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import type { FinishedJob } from '../../jobs/job.js';
import type { ObjectReference } from '../clusters/kubernetes-object.js';
import type { ControllerFailure, ControllerInstallation } from './controller-installation.entity.js';
import { ControllerInstallationsStore } from './controller-installations.store.js';
import { ControllerDeployed, ControllerFailed, ControllerUndeployed } from './controller.events.js';
import { type ControllerPayload, toJobFailure } from './controller-job.js';

/** Records the progress of controller installations, and publishes the result. */
@Injectable()
export class ControllerCompletionService {
  constructor(
    private readonly installations: ControllerInstallationsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  find(id: string): Promise<ControllerInstallation | null> {
    return this.installations.get(id);
  }

  /** Reports whether its request is still the last one. */
  async isWanted({ id, request }: ControllerInstallation): Promise<boolean> {
    return (await this.installations.get(id))?.request === request;
  }

  /** Records the objects before they are applied. @returns false when there was another request meanwhile, which has its own job */
  recordObjects(
    { id, request }: Pick<ControllerInstallation, 'id' | 'request'>,
    objects: ObjectReference[],
    { assertLeased }: Pick<JobContext, 'assertLeased'>,
  ): Promise<boolean> {
    return this.unit.run(async () => {
      const installation = await this.installations.lock(id);
      if (installation?.request !== request) return false;
      await this.installations.update(installation, { objects });
      await assertLeased();
      return true;
    });
  }

  /** Records the outcome of a request. When there was another one meanwhile, that stays pending for its own job. */
  async complete(
    asked: Pick<ControllerInstallation, 'id' | 'request' | 'target'>,
    failure: ControllerFailure | null,
    { assertLeased }: Pick<JobContext, 'assertLeased'>,
  ): Promise<void> {
    await this.unit.run(async () => {
      const installation = await this.installations.lock(asked.id);
      if (installation) await this.end(installation, asked, failure);
      await assertLeased();
    });
  }

  /** Handles a job that ended without an outcome, for instance because too many workers died. */
  async handleJobEnd(job: FinishedJob<ControllerPayload>): Promise<void> {
    if (job.status === 'succeeded') return;
    const installation = await this.installations.lock(job.payload.installation);
    if (!installation) return;
    const { target } = installation;
    const { request = installation.request } = job.payload;
    await this.end(installation, { target, request }, toJobFailure(job));
  }

  private async end(
    installation: ControllerInstallation,
    { target, request }: Pick<ControllerInstallation, 'target' | 'request'>,
    failure: ControllerFailure | null,
  ): Promise<void> {
    const isGone = target === 'disabled' && !failure;
    const isStillWanted = installation.request === request && installation.pending;
    await this.installations.update(installation, {
      ...(isStillWanted ? { pending: false, failure } : {}),
      ...(isGone ? { objects: [] } : {}),
    });
    if (!isStillWanted) return;
    const actor = Actor.onBehalfOf(installation.requestedBy, 'controllers');
    if (failure) await this.events.publish(new ControllerFailed(actor, installation, failure));
    else if (isGone) await this.events.publish(new ControllerUndeployed(actor, installation));
    else await this.events.publish(new ControllerDeployed(actor, installation));
  }
}
