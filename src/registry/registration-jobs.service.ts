import { Injectable, type OnModuleInit } from '@nestjs/common';
import { assertInstallationAdmin } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import { UploadedFiles, type UploadInput } from '../formats/sources/uploaded-files.service.js';
import type { JobContext } from '../jobs/job-handler.registry.js';
import type { Job } from '../jobs/job.js';
import { JobsService } from '../jobs/jobs.service.js';
import { JobActorsService } from '../organizations/users/job-actors.service.js';
import { GenerationService } from './generation/generation.service.js';
import type { GenerationInput } from './entities/registry.inputs.js';
import { assertRegistryWriter, registryPolicy } from './entities/registry.policy.js';
import type { RegistrationResult } from './registration/registration-result.js';
import { PackageRegistrationService, type RegistrationOptions } from './registration/package-registration.service.js';

const REGISTER_QUEUE = 'registry-register';
const GENERATE_QUEUE = 'registry-generate';

interface PackagePayload {
  path: string;
  base64: string;
  wish: RegistrationOptions;
}

/** The result of a registration is visible to those who may still register. */
const authorizeOperation = (actor: Actor): void => assertInstallationAdmin(actor, registryPolicy.register);

/** No retries, because a source that failed fails again. */
const SINGLE_ATTEMPT = { concurrency: 2, retryDelayMs: () => null, authorize: authorizeOperation };

/** Registrations and generations that continue after the request was answered. */
@Injectable()
export class RegistrationJobsService implements OnModuleInit {
  constructor(
    private readonly registrations: PackageRegistrationService,
    private readonly generation: GenerationService,
    private readonly sent: UploadedFiles,
    private readonly jobs: JobsService,
    private readonly requesters: JobActorsService,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler<PackagePayload>(REGISTER_QUEUE, {
      ...SINGLE_ATTEMPT,
      handle: (job, context) => this.register(job, context),
    });
    this.jobs.registerHandler<GenerationInput>(GENERATE_QUEUE, {
      ...SINGLE_ATTEMPT,
      handle: (job, context) => this.generate(job, context),
    });
  }

  /** @throws what finding the file throws */
  async enqueueRegistration(actor: Actor, input: UploadInput & RegistrationOptions, uploads: FormFile[]): Promise<Job> {
    assertRegistryWriter(actor, registryPolicy.register);
    const { path, bytes } = await this.sent.resolve(input, uploads);
    const { register, atomic } = input;
    const payload = { path, base64: Buffer.from(bytes).toString('base64'), wish: { register, atomic } };
    return this.jobs.enqueue<PackagePayload>(actor, { queue: REGISTER_QUEUE, organizationId: null, payload });
  }

  /** @throws InvalidRequest for invalid input; the operation reports faults of the source */
  enqueueGeneration(actor: Actor, { source, config }: GenerationInput): Promise<Job> {
    this.generation.authorizeAndParse(actor, { source, config });
    const payload = { source, config };
    return this.jobs.enqueue<GenerationInput>(actor, { queue: GENERATE_QUEUE, organizationId: null, payload });
  }

  async register(job: Job<PackagePayload>, { reportProgress: progress }: JobContext): Promise<RegistrationResult> {
    const { path, base64, wish } = job.payload;
    const actor = await this.requesters.resolve(job);
    assertRegistryWriter(actor, registryPolicy.register);
    progress({ stage: 'registering', source: path });
    return this.registrations.registerFile(actor, { path, bytes: Buffer.from(base64, 'base64') }, wish);
  }

  async generate(job: Job<GenerationInput>, { reportProgress: progress }: JobContext): Promise<RegistrationResult> {
    return this.generation.generate(await this.requesters.resolve(job), job.payload, progress);
  }
}
