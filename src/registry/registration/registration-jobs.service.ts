import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import type { UploadedFile } from '../../core/rest/upload.js';
import { SentFiles, type SentInput } from '../../formats/sent-file.js';
import type { Job } from '../../jobs/job.js';
import { Jobs } from '../../jobs/jobs.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import { NotFound } from '../../core/errors/app-error.js';
import { registryPolicy } from '../registry.policy.js';
import { requireRegistryWriter } from '../registry-writers.js';
import type { RegistrationResult } from './outcome.js';
import { RegistrationsService, type RegistrationWish } from './registrations.service.js';

const QUEUE = 'registry-register';

interface Payload {
  path: string;
  base64: string;
  wish: RegistrationWish;
}

/** Registrations that go on after the request was answered. */
@Injectable()
export class RegistrationJobs {
  constructor(
    private readonly registrations: RegistrationsService,
    private readonly sent: SentFiles,
    private readonly jobs: Jobs,
    private readonly users: UsersStore,
  ) {
    jobs.handle<Payload>(QUEUE, { concurrency: 2, handler: (job) => this.run(job), retryIn: () => null });
  }

  /** @throws what finding the file throws */
  async begin(actor: Actor, input: SentInput & RegistrationWish, uploads: UploadedFile[]): Promise<Job> {
    requireRegistryWriter(actor, registryPolicy.register);
    const { path, bytes } = await this.sent.find(input, uploads);
    const { register, atomic } = input;
    const payload = { path, base64: Buffer.from(bytes).toString('base64'), wish: { register, atomic } };
    return this.jobs.enqueue<Payload>(actor, { queue: QUEUE, organizationId: null, payload });
  }

  private async run({ payload, requestedBy }: Job<Payload>): Promise<RegistrationResult> {
    const actor = await this.requester(requestedBy);
    requireRegistryWriter(actor, registryPolicy.register);
    const file = { path: payload.path, bytes: Buffer.from(payload.base64, 'base64') };
    return this.registrations.registerFile(actor, file, payload.wish);
  }

  /** The one who asked, with the rights they have by now. */
  private async requester(id: string | null): Promise<Actor> {
    const user = id ? await this.users.find(id) : null;
    if (!user || user.deactivatedAt) throw new NotFound('user', id ?? '');
    return Actor.user(user);
  }
}
