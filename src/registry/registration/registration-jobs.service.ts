import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { UploadedFile } from '../../core/rest/upload.js';
import { SentFiles, type SentInput } from '../../formats/sent-file.js';
import type { JobContext } from '../../jobs/job-handlers.js';
import type { Job } from '../../jobs/job.js';
import { Jobs } from '../../jobs/jobs.js';
import { Requesters } from '../../organizations/users/requesters.js';
import { GenerationService } from '../generation/generation.service.js';
import type { GenerationInput } from '../registry.inputs.js';
import { registryPolicy } from '../registry.policy.js';
import { requireRegistryWriter } from '../registry-writers.js';
import type { RegistrationResult } from './outcome.js';
import { RegistrationsService, type RegistrationWish } from './registrations.service.js';

const REGISTER = 'registry-register';
const GENERATE = 'registry-generate';

interface PackagePayload {
  path: string;
  base64: string;
  wish: RegistrationWish;
}

/** Once, for a source that failed fails again. */
const ONCE = { concurrency: 2, retryIn: () => null };

/** Registrations and generations that go on after the request was answered. */
@Injectable()
export class RegistrationJobs {
  constructor(
    private readonly registrations: RegistrationsService,
    private readonly generation: GenerationService,
    private readonly sent: SentFiles,
    private readonly jobs: Jobs,
    private readonly requesters: Requesters,
  ) {
    jobs.handle<PackagePayload>(REGISTER, { ...ONCE, handler: (job, context) => this.register(job, context) });
    jobs.handle<GenerationInput>(GENERATE, { ...ONCE, handler: (job, context) => this.generate(job, context) });
  }

  /** @throws what finding the file throws */
  async beginRegistration(actor: Actor, input: SentInput & RegistrationWish, uploads: UploadedFile[]): Promise<Job> {
    requireRegistryWriter(actor, registryPolicy.register);
    const { path, bytes } = await this.sent.find(input, uploads);
    const { register, atomic } = input;
    const payload = { path, base64: Buffer.from(bytes).toString('base64'), wish: { register, atomic } };
    return this.jobs.enqueue<PackagePayload>(actor, { queue: REGISTER, organizationId: null, payload });
  }

  /** @throws InvalidRequest when the input is wrong in itself; what is wrong with the source is told by the operation */
  beginGeneration(actor: Actor, { source, config }: GenerationInput): Promise<Job> {
    this.generation.check(actor, { source, config });
    const payload = { source, config };
    return this.jobs.enqueue<GenerationInput>(actor, { queue: GENERATE, organizationId: null, payload });
  }

  private async register(job: Job<PackagePayload>, { progress }: JobContext): Promise<RegistrationResult> {
    const { path, base64, wish } = job.payload;
    const actor = await this.requesters.of(job);
    requireRegistryWriter(actor, registryPolicy.register);
    progress({ stage: 'registering', source: path });
    return this.registrations.registerFile(actor, { path, bytes: Buffer.from(base64, 'base64') }, wish);
  }

  private async generate(job: Job<GenerationInput>, { progress }: JobContext): Promise<RegistrationResult> {
    return this.generation.generate(await this.requesters.of(job), job.payload, progress);
  }
}
