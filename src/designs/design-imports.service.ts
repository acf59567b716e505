import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { Vault } from '../core/crypto/vault.service.js';
import { newId } from '../core/database/base.entity.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import type { Job } from '../jobs/job.js';
import { JobsService } from '../jobs/jobs.service.js';
import { JobActorsService } from '../organizations/users/job-actors.service.js';
import type { DesignImport } from './design.inputs.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { designPolicy } from './design.policy.js';
import { DesignView } from './design.view.js';
import { DesignWriter } from './design-writer.service.js';
import { packContent, unpackContent } from './versions/packed-content.js';

const QUEUE = 'design-import';
const CONCURRENCY = 2;

/** What a job needs to know of an import; the file may hold secrets, so all of it is sealed. */
interface ImportJobPayload {
  sealed: string;
}

interface SealedImport {
  input: DesignImport;
  /** Packed, because a job keeps them as text several times over. */
  files: { fieldname: string; originalname: string; gzip: string }[];
}

/** Imports that go on after the request was answered. */
@Injectable()
export class DesignImportsService {
  constructor(
    private readonly writer: DesignWriter,
    private readonly placement: WorkspacePlacementService,
    private readonly jobs: JobsService,
    private readonly requesters: JobActorsService,
    private readonly vault: Vault,
  ) {
    jobs.registerHandler<ImportJobPayload>(QUEUE, { concurrency: CONCURRENCY, handle: (job) => this.run(job) });
  }

  /** @throws what the import would: where the design goes, and whether it may, is asked at once */
  async enqueue(actor: Actor, input: DesignImport, files: FormFile[]): Promise<Job> {
    const workspace = await this.placement.resolve(actor, input, designPolicy.create);
    const id = newId();
    const held: SealedImport = {
      input: { ...input, workspace_id: workspace.id },
      files: await Promise.all(
        files.map(async ({ fieldname, originalname, buffer }) => ({
          fieldname,
          originalname,
          gzip: (await packContent(buffer)).toString('base64'),
        })),
      ),
    };
    const sealed = await this.vault.seal(workspace.organizationId, JSON.stringify(held), sealingContext(id));
    return this.jobs.enqueue<ImportJobPayload>(actor, {
      id,
      queue: QUEUE,
      organizationId: workspace.organizationId,
      payload: { sealed: sealed.toString('base64') },
    });
  }

  private async run(job: Job<ImportJobPayload>): Promise<object> {
    const { id, payload } = job;
    const text = await this.vault.open(Buffer.from(payload.sealed, 'base64'), sealingContext(id));
    const { input, files } = JSON.parse(text.toString()) as SealedImport;
    const uploads = await Promise.all(
      files.map(async ({ gzip, ...file }) => ({ ...file, buffer: await unpackContent(Buffer.from(gzip, 'base64')) })),
    );
    const { design, warnings } = await this.writer.import(await this.requesters.resolve(job), input, uploads);
    return { ...DesignView.fromEntity(design), warnings };
  }
}

const sealingContext = (id: string): string => `import ${id}`;
