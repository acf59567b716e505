import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Actor } from '../../../core/access/actor.js';
import { currentRequest } from '../../../core/telemetry/request-context.js';
import type { JobContext } from '../../../jobs/job-handler.registry.js';
import type { Job } from '../../../jobs/job.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { INSTALLATION_CHAIN } from '../audit.entity.js';
import { AuditService } from '../audit.service.js';
import { AuditReportsService } from './audit-reports.service.js';
import type { KeptHead, VerificationResult } from './verification.service.js';

const QUEUE = 'audit-verification';
const CONCURRENCY = 1;

interface VerificationPayload {
  chain: string;
  kept: KeptHead | null;
}

/** Runs verifications synchronously, or as asynchronous operations. */
@Injectable()
export class AuditVerificationsService implements OnModuleInit {
  constructor(
    private readonly audit: AuditService,
    private readonly reports: AuditReportsService,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.registerHandler<VerificationPayload>(QUEUE, {
      concurrency: CONCURRENCY,
      handle: ({ payload }, context) => this.run(payload, context),
      authorize: (actor, { payload }) => this.audit.authorize(actor, payload.chain, 'read'),
    });
  }

  /** Aborts when the caller disconnects. */
  async verify(actor: Actor, chain: string, checkpoint: string | undefined): Promise<VerificationResult> {
    const caller = new AbortController();
    const response = currentRequest()?.response;
    return this.audit.verify(actor, chain, {
      ...parseHead(checkpoint),
      signal: caller.signal,
      onProgress: () => {
        if (response?.isClosed) caller.abort(new Error('the caller has disconnected'));
      },
    });
  }

  async enqueue(actor: Actor, chain: string, checkpoint: string | undefined): Promise<Job> {
    await this.audit.authorize(actor, chain, 'read');
    return this.jobs.enqueue<VerificationPayload>(actor, {
      queue: QUEUE,
      payload: { chain, kept: parseHead(checkpoint).kept ?? null },
      organizationId: chain === INSTALLATION_CHAIN ? null : chain,
      serialKey: `audit ${chain}`,
    });
  }

  private run({ chain, kept }: VerificationPayload, context: JobContext): Promise<VerificationResult> {
    return this.reports.verify(chain, {
      ...(kept ? { kept } : {}),
      signal: context.signal,
      onProgress: (entries, of) => context.reportProgress({ entries, of }),
    });
  }
}

function parseHead(checkpoint: string | undefined): { kept?: KeptHead } {
  if (!checkpoint) return {};
  const [sequence = '', hash = ''] = checkpoint.split(':');
  return { kept: { sequence, hash } };
}
