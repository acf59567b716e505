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

/** A package that was sent, or the URL that it is fetched from. */
type PackagePayload = { wish: RegistrationOptions } & ({ path: string; base64: string } | { url: string });

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

  /** Checks what was sent; a URL is fetched by the job. @throws the errors of these checks */
  async enqueueRegistration(actor: Actor, input: UploadInput & RegistrationOptions, uploads: FormFile[]): Promise<Job> {
    assertRegistryWriter(actor, registryPolicy.register);
    const { register, atomic } = input;
    const sent = this.sent.findSent(input, uploads);
    const source = 'url' in sent ? sent : { path: sent.path, base64: Buffer.from(sent.bytes).toString('base64') };
    const payload = { ...source, wish: { register, atomic } };
    return this.jobs.enqueue<PackagePayload>(actor, { queue: REGISTER_QUEUE, organizationId: null, payload });
  }

  /** @throws InvalidRequest for invalid input; the operation reports faults of the source */
  enqueueGeneration(actor: Actor, { source, config }: GenerationInput): Promise<Job> {
    this.generation.authorizeAndParse(actor, { source, config });
    const payload = { source, config };
    return this.jobs.enqueue<GenerationInput>(actor, { queue: GENERATE_QUEUE, organizationId: null, payload });
  }

  async register(job: Job<PackagePayload>, { reportProgress: progress }: JobContext): Promise<RegistrationResult> {
    const { payload } = job;
    const actor = await this.requesters.resolve(job);
    assertRegistryWriter(actor, registryPolicy.register);
    const isFetched = 'url' in payload;
    if (isFetched) progress({ stage: 'reading' });
    const file = isFetched
      ? await this.sent.fetch(payload.url, '/url')
      : { path: payload.path, bytes: Buffer.from(payload.base64, 'base64') };
    progress({ stage: 'registering', source: file.path });
    return this.registrations.registerFile(actor, file, payload.wish);
  }

  async generate(job: Job<GenerationInput>, { reportProgress: progress }: JobContext): Promise<RegistrationResult> {
    return this.generation.generate(await this.requesters.resolve(job), job.payload, progress);
  }
}
