import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionDeleted } from '../../connections/connection.events.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { EventBus } from '../../core/events/event-bus.js';
import { defaultRetryDelayMs } from '../../jobs/job-handler.registry.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { clusterPolicy } from '../cluster.policy.js';
import { ControllerCompletionService } from './controller-completion.service.js';
import { CONTROLLERS_QUEUE, type ControllerPayload, isFinal } from './controller-job.js';
import { ControllerRunner } from './controller.runner.js';
import { ControllersService } from './controllers.service.js';

const CONCURRENCY = 2;
/** Slots reserved for organizations without a running job. */
const RESERVE = 4;

/** Registers the jobs of controllers, and prevents deletion of a connection with installed controllers. */
@Injectable()
export class ControllersListeners implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly runner: ControllerRunner,
    private readonly completion: ControllerCompletionService,
    private readonly controllers: ControllersService,
    private readonly connections: ConnectionsService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler<ControllerPayload>(CONTROLLERS_QUEUE, {
      concurrency: CONCURRENCY,
      reserve: RESERVE,
      handle: (job, context) => this.runner.run(job, context),
      authorize: async (actor, { payload }) => {
        const installation = await this.completion.find(payload.installation);
        if (installation)
          await this.connections.authorize(actor, clusterPolicy.changeControllers, installation.connectionId);
      },
      onEnded: (job) => this.completion.handleJobEnd(job),
      retryDelayMs: (failures, error) => (isFinal(error) ? null : defaultRetryDelayMs(failures)),
    });
    this.events.within(ConnectionDeleted, ({ connection }) => this.controllers.requireUnused(connection.id));
  }
}
