import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { NewServiceAccount } from './service-account.inputs.js';
import { ServiceAccountPage, ServiceAccountView } from './service-account.view.js';
import { ServiceAccountsService } from './service-accounts.service.js';

@ApiTags('organizations')
@ApiBearerAuth()
@NoStore()
@Controller('api/identity/orgs/:orgId/service-accounts')
export class ServiceAccountsController {
  constructor(private readonly accounts: ServiceAccountsService) {}

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

  @Delete(':id')
  @RequiresRight(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: ServiceAccountView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam() id: string,
  ): Promise<ServiceAccountView> {
    return ServiceAccountView.fromEntity(await this.accounts.delete(actor, orgId, id));
  }
}
