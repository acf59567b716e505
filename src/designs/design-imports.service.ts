import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Access } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { Vault } from '../core/crypto/vault.service.js';
import { newId } from '../core/database/base.entity.js';
import { NotFound } from '../core/errors/app-error.js';
import { Precondition } from '../core/rest/precondition.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import type { JobContext, OperationAccess } from '../jobs/job-handler.registry.js';
import type { Job } from '../jobs/job.js';
import { JobsService } from '../jobs/jobs.service.js';
import { JobActorsService } from '../organizations/users/job-actors.service.js';
import type { DesignImport } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignView } from './design.view.js';
import { DesignCreationService } from './design-creation.service.js';
import { ClusterImportsService } from './cluster-imports.service.js';
import { parseClusterQuery } from './cluster-query.js';
import { packContent, unpackContent } from './contents/packed-content.js';

const QUEUE = 'design-import';
const CONCURRENCY = 2;
/** Workers that are reserved for organizations without a running import. */
const RESERVE = 4;

/** The payload of the import job; the file may contain secrets, so all of it is encrypted. */
interface ImportJobPayload {
  /** The target workspace. */
  workspace: string;
  sealed: string;
}

interface SealedImport {
  input: DesignImport;
  /** Compressed, because jobs store several copies of it as text. */
  files: { fieldname: string; originalname: string; gzip: string }[];
}

/** Runs imports as jobs, after the request was answered. */
@Injectable()
export class DesignImportsService implements OnModuleInit {
  constructor(
    private readonly creation: DesignCreationService,
    private readonly clusters: ClusterImportsService,
    private readonly jobs: JobsService,
    private readonly requesters: JobActorsService,
    private readonly vault: Vault,
    private readonly access: Access,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler<ImportJobPayload>(QUEUE, {
      concurrency: CONCURRENCY,
      reserve: RESERVE,
      handle: (job, context) => this.run(job, context),
      authorize: (actor, job, wanted) => this.authorize(actor, job, wanted),
    });
  }

  /** Checks the target and the right to it immediately. @throws the errors of these checks */
  async enqueue(actor: Actor, input: DesignImport, files: FormFile[]): Promise<Job> {
    const { workspaceId, organizationId } = await this.creation.findPlace(actor, input);
    const id = newId();
    const held: SealedImport = {
      input: { ...input, workspace_id: workspaceId },
      files: await Promise.all(
        files.map(async ({ fieldname, originalname, buffer }) => ({
          fieldname,
          originalname,
          gzip: (await packContent(buffer)).toString('base64'),
        })),
      ),
    };
    const sealed = await this.vault.seal(organizationId, JSON.stringify(held), sealingContext(id));
    return this.jobs.enqueue<ImportJobPayload>(actor, {
      id,
      queue: QUEUE,
      organizationId,
      payload: { workspace: workspaceId, sealed: sealed.toString('base64') },
    });
  }

  private async authorize(actor: Actor, job: Job<ImportJobPayload>, wanted: OperationAccess): Promise<void> {
    const { organizationId, payload } = job;
    if (!organizationId) throw new NotFound('operation', job.id);
    const operation = wanted === 'cancel' ? designPolicy.create : designPolicy.read;
    await this.access.authorize(actor, operation, { type: 'workspace', id: payload.workspace, organizationId });
  }

  private async run(job: Job<ImportJobPayload>, context: JobContext): Promise<object> {
    const { id, payload } = job;
    const text = await this.vault.open(Buffer.from(payload.sealed, 'base64'), sealingContext(id));
    const { input, files } = JSON.parse(text.toString()) as SealedImport;
    const uploads = await Promise.all(
      files.map(async ({ gzip, ...file }) => ({ ...file, buffer: await unpackContent(Buffer.from(gzip, 'base64')) })),
    );
    const requester = await this.requesters.resolve(job);
    const query = parseClusterQuery(input, uploads.length > 0);
    if (query) return this.clusters.import(requester, input, query, context);
    const { design, warnings } = await this.creation.import(requester, input, uploads, Precondition.none);
    return { ...DesignView.fromEntity(design), warnings };
  }
}

const sealingContext = (id: string): string => `import ${id}`;
