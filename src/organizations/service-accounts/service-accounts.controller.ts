import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { AnswersSecret } from '../../core/rest/answers-secret.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { organizationPolicy } from '../organization.policy.js';
import { OrganizationsService } from '../organizations.service.js';
import { NewServiceAccount } from './service-account.inputs.js';
import { ServiceAccountPage, ServiceAccountView } from './service-account.view.js';
import { ServiceAccountsService } from './service-accounts.service.js';

@ApiTags('organizations')
@ApiBearerAuth()
@AnswersSecret()
@Controller('api/identity/orgs/:orgId/service-accounts')
export class ServiceAccountsController {
  constructor(private readonly accounts: ServiceAccountsService) {}

  @Get()
  @ApiOkResponse({ type: ServiceAccountPage })
  async list(@Caller() actor: Actor, @Id('orgId') orgId: string, @Query() query: ListQuery): Promise<Envelope> {
    return envelope(await this.accounts.list(actor, orgId, query), 'service_accounts', ServiceAccountView.of);
  }

  @Post()
  @Requires(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: ServiceAccountView })
  async create(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Body() input: NewServiceAccount,
  ): Promise<ServiceAccountView> {
    return ServiceAccountView.of(await this.accounts.create(actor, orgId, input));
  }

  @Delete(':id')
  @Requires(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: ServiceAccountView })
  async delete(@Caller() actor: Actor, @Id('orgId') orgId: string, @Id() id: string): Promise<ServiceAccountView> {
    return ServiceAccountView.of(await this.accounts.delete(actor, orgId, id));
  }
}
