import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { Vault } from '../core/crypto/vault.js';
import { newId } from '../core/database/base.entity.js';
import type { UploadedFile } from '../core/rest/upload.js';
import type { Job } from '../jobs/job.js';
import { Jobs } from '../jobs/jobs.js';
import { Requesters } from '../organizations/users/requesters.js';
import type { DesignImport } from './design.inputs.js';
import { WorkspacePlacement } from '../workspaces/records/workspace-placement.js';
import { designPolicy } from './design.policy.js';
import { DesignView } from './design.view.js';
import { DesignWriter } from './design-writer.service.js';
import { pack, unpack } from './versions/packed-content.js';

const QUEUE = 'design-import';
const AT_ONCE = 2;

/** What a job needs to know of an import; the file may hold secrets, so all of it is sealed. */
interface Payload {
  sealed: string;
}

interface Sealed {
  input: DesignImport;
  /** Packed, because a job keeps them as text several times over. */
  files: { fieldname: string; originalname: string; gzip: string }[];
}

/** Imports that go on after the request was answered. */
@Injectable()
export class DesignImports {
  constructor(
    private readonly writer: DesignWriter,
    private readonly placement: WorkspacePlacement,
    private readonly jobs: Jobs,
    private readonly requesters: Requesters,
    private readonly vault: Vault,
  ) {
    jobs.handle<Payload>(QUEUE, { concurrency: AT_ONCE, handler: (job) => this.run(job) });
  }

  /** @throws what the import would: where the design goes, and whether it may, is asked at once */
  async begin(actor: Actor, input: DesignImport, files: UploadedFile[]): Promise<Job> {
    const workspace = await this.placement.of(actor, input, designPolicy.create);
    const id = newId();
    const held: Sealed = {
      input: { ...input, workspace_id: workspace.id },
      files: await Promise.all(
        files.map(async ({ fieldname, originalname, buffer }) => ({
          fieldname,
          originalname,
          gzip: (await pack(buffer)).toString('base64'),
        })),
      ),
    };
    const sealed = await this.vault.seal(workspace.organizationId, JSON.stringify(held), placeOf(id));
    return this.jobs.enqueue<Payload>(actor, {
      id,
      queue: QUEUE,
      organizationId: workspace.organizationId,
      payload: { sealed: sealed.toString('base64') },
    });
  }

  private async run(job: Job<Payload>): Promise<object> {
    const { id, payload } = job;
    const text = await this.vault.open(Buffer.from(payload.sealed, 'base64'), placeOf(id));
    const { input, files } = JSON.parse(text.toString()) as Sealed;
    const uploads = await Promise.all(
      files.map(async ({ gzip, ...file }) => ({ ...file, buffer: await unpack(Buffer.from(gzip, 'base64')) })),
    );
    const { design, warnings } = await this.writer.import(await this.requesters.of(job), input, uploads);
    return { ...DesignView.of(design), warnings };
  }
}

const placeOf = (id: string): string => `import ${id}`;
