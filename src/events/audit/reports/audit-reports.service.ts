import { Injectable } from '@nestjs/common';
import type { PersonalIdentifiers } from '../personal-identifiers.store.js';
import type { ListQuery } from '../../../core/listing/list-query.js';
import type { Page } from '../../../core/listing/page.js';
import type { NdjsonDownload } from '../../../core/rest/ndjson-download.js';
import type { AuditCheckpoint } from '../audit.entity.js';
import type { AuditFilter } from '../audit.inputs.js';
import { AuditSealer } from '../chain/audit-sealer.service.js';
import { AuditedCallRecorder } from '../calls/audited-call-recorder.listeners.js';
import { AuditRetentionService } from './audit-retention.service.js';
import { CheckpointsService } from './checkpoints.service.js';
import { ExportService } from './export.service.js';
import { type VerificationOptions, type VerificationResult, VerificationService } from './verification.service.js';

/** Seals committed entries before each operation on a chain, so that the operation includes them. Runs as the system. */
@Injectable()
export class AuditReportsService {
  constructor(
    private readonly sealer: AuditSealer,
    private readonly calls: AuditedCallRecorder,
    private readonly verification: VerificationService,
    private readonly exports: ExportService,
    private readonly checkpoints: CheckpointsService,
    private readonly retention: AuditRetentionService,
  ) {}

  async sealCommitted(): Promise<void> {
    await this.calls.writePending();
    await this.sealer.sealCommitted();
  }

  async listCheckpoints(
    chain: string,
    query: ListQuery,
  ): Promise<{ page: Page<AuditCheckpoint>; keys: Map<string, string> }> {
    await this.sealCommitted();
    await this.checkpoints.sign(chain);
    return this.checkpoints.list(chain, query);
  }

  async verify(chain: string, options: VerificationOptions): Promise<VerificationResult> {
    await this.sealCommitted();
    return this.verification.verify(chain, options);
  }

  /** @param authorize checks the caller's right again before each batch */
  async export(chain: string, filter: AuditFilter, authorize: () => Promise<void>): Promise<NdjsonDownload> {
    await this.sealCommitted();
    const head = await this.checkpoints.sign(chain);
    return this.exports.export(chain, head, filter, authorize);
  }

  async erase(chain: string, userId: string, person?: PersonalIdentifiers): Promise<number> {
    await this.sealCommitted();
    return this.retention.erase(chain, userId, person);
  }
}
