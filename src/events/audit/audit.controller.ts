import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { FlagQuery } from '../../core/rest/flag.pipe.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import type { NdjsonDownload } from '../../core/rest/ndjson-download.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ApiFileResponse } from '../../core/rest/openapi/schemas.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { MayRunAsync } from '../../jobs/operations/may-run-async.decorator.js';
import { OperationView, respondAccepted } from '../../jobs/operations/operation.view.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { INSTALLATION_CHAIN } from './audit.entity.js';
import { AuditExportQuery, AuditListQuery, AuditVerifyQuery, Erasure } from './audit.inputs.js';
import { auditPolicy, installationAuditPolicy } from './audit.policy.js';
import { AuditService } from './audit.service.js';
import {
  AuditCheckpointPage,
  AuditCheckpointView,
  AuditEntryPage,
  AuditEntryView,
  AuditVerificationView,
  ErasureView,
} from './audit.view.js';
import type { VerificationResult } from './reports/verification.service.js';
import { AuditVerificationsService } from './reports/audit-verifications.service.js';

const VERIFY_NOTE =
  'Every entry must have the hash of its fields and follow the one before, the signed heads must hold, and no entry may be missing. `async=true` is for long chains.';
const EXPORT_NOTE =
  'One JSON document a line. `scripts/verify-audit.mjs` of the source verifies the file with nothing but Node.js. A filter leaves out entries, and with them the links between the others.';
const CHECKPOINTS_NOTE =
  'Keep them where administrators of the database cannot change them: a checkpoint reveals entries that were removed from the end of the chain.';

/** The operations that both audit controllers share. */
abstract class AuditController {
  protected constructor(
    protected readonly audit: AuditService,
    private readonly verifications: AuditVerificationsService,
  ) {}

  protected async listOf(actor: Actor, chain: string, query: AuditListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.audit.list(actor, chain, query), 'entries', AuditEntryView.fromEntity);
  }

  protected async verifyOf(
    actor: Actor,
    chain: string,
    { checkpoint }: AuditVerifyQuery,
    later: boolean,
    response: Response,
  ): Promise<VerificationResult | OperationView> {
    if (later) return respondAccepted(response, await this.verifications.enqueue(actor, chain, checkpoint));
    return this.verifications.verify(actor, chain, checkpoint);
  }

  protected async listCheckpointsOf(actor: Actor, chain: string, query: ListQuery): Promise<PageEnvelope> {
    const { page, keys } = await this.audit.listCheckpoints(actor, chain, query);
    return toPageEnvelope(page, 'checkpoints', (checkpoint) =>
      AuditCheckpointView.fromCheckpoint(checkpoint, keys.get(checkpoint.keyId) ?? ''),
    );
  }

  protected async eraseOf(actor: Actor, chain: string, { user_id }: Erasure): Promise<ErasureView> {
    return { user_id, entries: await this.audit.erase(actor, chain, user_id) };
  }
}

/** The audit of an organization. */
@ApiTags('audit')
@NoStore()
@Controller('identity/orgs/:orgId/audit')
export class OrganizationAuditController extends AuditController {
  constructor(audit: AuditService, verifications: AuditVerificationsService) {
    super(audit, verifications);
  }

  @RestOperation(
    'listAuditEntries',
    'List audit entries',
    'Lists what was done in an organization and what was refused, the latest first.',
  )
  @Get()
  @RequiresRight(auditPolicy.read, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: AuditEntryPage })
  list(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: AuditListQuery,
  ): Promise<PageEnvelope> {
    return this.listOf(actor, orgId, query);
  }

  @RestOperation('verifyAudit', 'Verify the audit', `Verifies the whole chain of an organization. ${VERIFY_NOTE}`)
  @Get('verify')
  @RequiresRight(auditPolicy.read, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: AuditVerificationView })
  @MayRunAsync()
  verify(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: AuditVerifyQuery,
    @FlagQuery('async') later: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<VerificationResult | OperationView> {
    return this.verifyOf(actor, orgId, query, later, response);
  }

  @AuditedCall()
  @RestOperation('exportAudit', 'Export the audit', `Returns the entries of an organization as a file. ${EXPORT_NOTE}`)
  @Get('export')
  @RequiresRight(auditPolicy.read, OrganizationsService, 'orgId')
  @ApiFileResponse('The entries, oldest first.', 'application/x-ndjson')
  export(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: AuditExportQuery,
  ): Promise<NdjsonDownload> {
    return this.audit.export(actor, orgId, query);
  }

  @RestOperation(
    'listAuditCheckpoints',
    'List audit checkpoints',
    `Lists signed heads of the chain of an organization, the current one first. ${CHECKPOINTS_NOTE}`,
  )
  @Get('checkpoints')
  @RequiresRight(auditPolicy.read, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: AuditCheckpointPage })
  listCheckpoints(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return this.listCheckpointsOf(actor, orgId, query);
  }

  @RestOperation(
    'eraseAuditPersonalData',
    'Erase personal data',
    'Erases what the entries of an organization say of a person: their address, names and the details of their account. The entries stay, and the chain stays valid.',
  )
  @Post('erase')
  @HttpCode(200)
  @RequiresRight(auditPolicy.erase, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: ErasureView })
  erase(@CurrentActor() actor: Actor, @IdParam('orgId') orgId: string, @Body() input: Erasure): Promise<ErasureView> {
    return this.eraseOf(actor, orgId, input);
  }
}

/** The audit of records outside of organizations: sign-ins, accounts, the registry. */
@ApiTags('audit')
@NoStore()
@Controller('system/audit')
export class InstallationAuditController extends AuditController {
  constructor(audit: AuditService, verifications: AuditVerificationsService) {
    super(audit, verifications);
  }

  @RestOperation(
    'listInstallationAuditEntries',
    'List audit entries of the installation',
    'Lists sign-ins, changes of accounts and of the registry, and what was refused outside of organizations.',
    { errors: [403] },
  )
  @Get()
  @RequiresRight(installationAuditPolicy.read)
  @ApiOkResponse({ type: AuditEntryPage })
  list(@CurrentActor() actor: Actor, @Query() query: AuditListQuery): Promise<PageEnvelope> {
    return this.listOf(actor, INSTALLATION_CHAIN, query);
  }

  @RestOperation(
    'verifyInstallationAudit',
    'Verify the audit of the installation',
    `Verifies the whole chain of the installation. ${VERIFY_NOTE}`,
    { errors: [403] },
  )
  @Get('verify')
  @RequiresRight(installationAuditPolicy.read)
  @ApiOkResponse({ type: AuditVerificationView })
  @MayRunAsync()
  verify(
    @CurrentActor() actor: Actor,
    @Query() query: AuditVerifyQuery,
    @FlagQuery('async') later: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<VerificationResult | OperationView> {
    return this.verifyOf(actor, INSTALLATION_CHAIN, query, later, response);
  }

  @AuditedCall()
  @RestOperation(
    'exportInstallationAudit',
    'Export the audit of the installation',
    `Returns the entries of the installation as a file. ${EXPORT_NOTE}`,
    { errors: [403] },
  )
  @Get('export')
  @RequiresRight(installationAuditPolicy.read)
  @ApiFileResponse('The entries, oldest first.', 'application/x-ndjson')
  export(@CurrentActor() actor: Actor, @Query() query: AuditExportQuery): Promise<NdjsonDownload> {
    return this.audit.export(actor, INSTALLATION_CHAIN, query);
  }

  @RestOperation(
    'listInstallationAuditCheckpoints',
    'List audit checkpoints of the installation',
    `Lists signed heads of the chain of the installation, the current one first. ${CHECKPOINTS_NOTE}`,
    { errors: [403] },
  )
  @Get('checkpoints')
  @RequiresRight(installationAuditPolicy.read)
  @ApiOkResponse({ type: AuditCheckpointPage })
  listCheckpoints(@CurrentActor() actor: Actor, @Query() query: ListQuery): Promise<PageEnvelope> {
    return this.listCheckpointsOf(actor, INSTALLATION_CHAIN, query);
  }

  @RestOperation(
    'eraseInstallationAuditPersonalData',
    'Erase personal data of the installation',
    'Erases what the entries of the installation say of a person. The entries stay, and the chain stays valid.',
  )
  @Post('erase')
  @HttpCode(200)
  @RequiresRight(installationAuditPolicy.erase)
  @ApiOkResponse({ type: ErasureView })
  erase(@CurrentActor() actor: Actor, @Body() input: Erasure): Promise<ErasureView> {
    return this.eraseOf(actor, INSTALLATION_CHAIN, input);
  }
}
