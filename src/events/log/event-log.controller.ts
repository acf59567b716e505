import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { FlagQuery } from '../../core/rest/flag.pipe.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import type { NdjsonDownload } from '../../core/rest/ndjson-download.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ApiFileResponse } from '../../core/rest/openapi/schemas.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { MayRunAsync } from '../../jobs/operations/may-run-async.decorator.js';
import { type OperationView, respondAccepted } from '../../jobs/operations/operation.view.js';
import { installationAuditPolicy } from '../audit/audit.policy.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { EventErasuresService } from './event-erasures.service.js';
import { EventExportService } from './event-export.service.js';
import { EventErasure, EventExportQuery, EventPurge } from './event-log.inputs.js';
import { eventLogPolicy } from './event-log.policy.js';
import { EventErasureView, EventPurgeView } from './event-log.view.js';
import { EventPurgesService } from './event-purges.service.js';

/** Export, purge and erasure of an organization's events, for its owners. */
@ApiTags('events')
@NoStore()
@Controller('identity/orgs/:orgId/events')
export class EventLogController {
  constructor(
    private readonly exports: EventExportService,
    private readonly purges: EventPurgesService,
    private readonly erasures: EventErasuresService,
  ) {}

  @AuditedCall()
  @RestOperation(
    'exportEvents',
    'Export events',
    'Returns the events of an organization as a file, oldest first: one JSON document a line, a header before them and their number at the end. One that was broken off is resumed with `after`.',
    { errors: [410] },
  )
  @Get('export')
  @RequiresRight(eventLogPolicy.export, OrganizationsService, 'orgId')
  @ApiFileResponse('The events, oldest first.', 'application/x-ndjson')
  export(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() { after }: EventExportQuery,
  ): Promise<NdjsonDownload> {
    return this.exports.export(actor, orgId, after);
  }

  @RestOperation(
    'purgeEvents',
    'Purge events',
    'Removes the oldest events of an organization for good, up to a number or a time. The name of the organization confirms it. The audit keeps its entries.',
  )
  @Post('purge')
  @HttpCode(200)
  @RequiresRight(eventLogPolicy.purge, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: EventPurgeView })
  @MayRunAsync()
  async purge(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Body() input: EventPurge,
    @FlagQuery('async') later: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventPurgeView | OperationView> {
    const job = await this.purges.purge(actor, orgId, input, later);
    if (job.status === 'succeeded') return job.result as EventPurgeView;
    return respondAccepted(response, job);
  }

  @RestOperation(
    'eraseEventPersonalData',
    'Erase personal data from events',
    'Erases the addresses of a person from the events of an organization, from the log of deliveries to webhooks, from invitations that ended, and from the audit. The events stay, and the audit chain stays valid.',
  )
  @Post('erase')
  @HttpCode(200)
  @RequiresRight(eventLogPolicy.erase, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: EventErasureView })
  erase(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Body() { user_id }: EventErasure,
  ): Promise<EventErasureView> {
    return this.erasures.erase(actor, orgId, user_id);
  }
}

/** Erasure from the events of the installation, which belong to no organization, for its administrators. */
@ApiTags('events')
@NoStore()
@Controller('system/events')
export class InstallationEventLogController {
  constructor(private readonly erasures: EventErasuresService) {}

  @RestOperation(
    'eraseInstallationPersonalData',
    'Erase personal data of the installation from events',
    'Erases the addresses of a person from the events that belong to no organization, their subject at the OpenID Connect issuer from those of their account, and both from the audit of the installation. The events stay, and the audit chain stays valid.',
    { errors: [403] },
  )
  @Post('erase')
  @HttpCode(200)
  @RequiresRight(installationAuditPolicy.erase)
  @ApiOkResponse({ type: EventErasureView })
  erase(@CurrentActor() actor: Actor, @Body() { user_id }: EventErasure): Promise<EventErasureView> {
    return this.erasures.eraseInstallation(actor, user_id);
  }
}
