import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { NewServiceAccount } from './service-account.inputs.js';
import { ServiceAccountPage, ServiceAccountView } from './service-account.view.js';
import { ServiceAccountsService } from './service-accounts.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('organizations')
@NoStore()
@Controller('identity/orgs/:orgId/service-accounts')
export class ServiceAccountsController {
  constructor(private readonly accounts: ServiceAccountsService) {}

  @RestOperation('listServiceAccounts', 'List service accounts', 'Lists the service accounts of an organization.', {
    errors: [403],
  })
  @Get()
  @ApiOkResponse({ type: ServiceAccountPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(
      await this.accounts.list(actor, orgId, query),
      'service_accounts',
      ServiceAccountView.fromEntity,
    );
  }

  @RestOperation(
    'createServiceAccount',
    'Create a service account',
    'Creates a service account with a role; its tokens are created apart.',
  )
  @Post()
  @RequiresRight(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: ServiceAccountView })
  async create(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @Body() input: NewServiceAccount,
  ): Promise<ServiceAccountView> {
    return ServiceAccountView.fromEntity(await this.accounts.create(actor, orgId, input));
  }

  @RestOperation('getServiceAccount', 'Read a service account', 'Reads a service account of an organization.')
  @Get(':id')
  @ApiOkResponse({ type: ServiceAccountView })
  async get(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam() id: string,
  ): Promise<ServiceAccountView> {
    return ServiceAccountView.fromEntity(await this.accounts.get(actor, orgId, id));
  }

  @RestOperation(
    'deleteServiceAccount',
    'Delete a service account',
    'Deletes a service account; its tokens stop working.',
  )
  @Delete(':id')
  @RequiresRight(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: ServiceAccountView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<ServiceAccountView> {
    return ServiceAccountView.fromEntity(await this.accounts.delete(actor, orgId, id, match));
  }
}
