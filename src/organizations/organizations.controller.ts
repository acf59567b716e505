import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { ListQuery } from '../core/listing/list-query.js';
import { type Envelope, envelope } from '../core/listing/page.js';
import { Id } from '../core/rest/id.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { Requires } from '../core/rest/rights/requires.js';
import { NewOrganization, OrganizationChange } from './organization.inputs.js';
import { organizationPolicy } from './organization.policy.js';
import { OrganizationPage, OrganizationView } from './organization.view.js';
import { OrganizationsService } from './organizations.service.js';

@ApiTags('organizations')
@ApiBearerAuth()
@Controller('api/identity/orgs')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Get()
  @ApiOkResponse({ type: OrganizationPage })
  async list(@Caller() actor: Actor, @Query() query: ListQuery): Promise<Envelope> {
    return envelope(await this.organizations.list(actor, query), 'organizations', OrganizationView.of);
  }

  @Post()
  @Requires(organizationPolicy.create)
  @ApiCreatedResponse({ type: OrganizationView })
  async create(@Caller() actor: Actor, @Body() input: NewOrganization): Promise<OrganizationView> {
    return OrganizationView.of(await this.organizations.create(actor, actor.userId ?? '', input));
  }

  @Get(':orgId')
  @ApiOkResponse({ type: OrganizationView })
  async get(@Caller() actor: Actor, @Id('orgId') id: string): Promise<OrganizationView> {
    return OrganizationView.of(await this.organizations.get(actor, id));
  }

  @Put(':orgId')
  @Requires(organizationPolicy.update, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: OrganizationView })
  async update(
    @Caller() actor: Actor,
    @Id('orgId') id: string,
    @Body() input: OrganizationChange,
    @IfMatch() match: Precondition,
  ): Promise<OrganizationView> {
    return OrganizationView.of(await this.organizations.update(actor, id, input, match));
  }

  @Delete(':orgId')
  @Requires(organizationPolicy.delete, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: OrganizationView })
  async delete(
    @Caller() actor: Actor,
    @Id('orgId') id: string,
    @IfMatch() match: Precondition,
  ): Promise<OrganizationView> {
    return OrganizationView.of(await this.organizations.delete(actor, id, match));
  }
}
