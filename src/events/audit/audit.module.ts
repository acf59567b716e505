import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs/jobs.module.js';
import { OrganizationsModule } from '../../organizations/organizations.module.js';
import { AuditEntriesStore } from './audit-entries.store.js';
import { AuditJobsListeners } from './audit-jobs.listeners.js';
import { InstallationAuditController, OrganizationAuditController } from './audit.controller.js';
import { AuditService } from './audit.service.js';
import { AuditSealer } from './chain/audit-sealer.service.js';
import { ChainSignatures } from './chain/chain-signatures.service.js';
import { ChainsStore } from './chain/chains.store.js';
import { PendingRowsStore } from './chain/pending-rows.store.js';
import { SealedHeads } from './chain/sealed-heads.js';
import { AuditForwarder } from './forwarding/audit-forwarder.service.js';
import { ForwardingStore } from './forwarding/forwarding.store.js';
import { AuditKeysService } from './keys/audit-keys.service.js';
import { AuditKeysStore } from './keys/audit-keys.store.js';
import { AuditedCallRecorder } from './calls/audited-call-recorder.listeners.js';
import { CallsStore } from './calls/calls.store.js';
import { PersonalIdentifiersStore } from './personal-identifiers.store.js';
import { AuditReportsService } from './reports/audit-reports.service.js';
import { AuditRetentionService } from './reports/audit-retention.service.js';
import { AuditVerificationsService } from './reports/audit-verifications.service.js';
import { CheckpointsService } from './reports/checkpoints.service.js';
import { CheckpointsStore } from './reports/checkpoints.store.js';
import { ExportService } from './reports/export.service.js';
import { VerificationService } from './reports/verification.service.js';

/** The audit log: tamper-evident hash chains of changes and refusals. */
@Module({
  imports: [JobsModule, OrganizationsModule],
  controllers: [OrganizationAuditController, InstallationAuditController],
  providers: [
    AuditKeysStore,
    AuditKeysService,
    PendingRowsStore,
    ChainsStore,
    ChainSignatures,
    SealedHeads,
    AuditSealer,
    CallsStore,
    AuditedCallRecorder,
    AuditEntriesStore,
    PersonalIdentifiersStore,
    CheckpointsStore,
    CheckpointsService,
    VerificationService,
    ExportService,
    AuditRetentionService,
    AuditReportsService,
    AuditService,
    AuditVerificationsService,
    AuditJobsListeners,
    ForwardingStore,
    AuditForwarder,
  ],
  exports: [AuditService, AuditSealer, PersonalIdentifiersStore],
})
export class AuditModule {}
