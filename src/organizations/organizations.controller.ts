import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { ListQuery } from '../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { NewOrganization, OrganizationChange } from './organization.inputs.js';
import { organizationPolicy } from './organization.policy.js';
import { OrganizationPage, OrganizationView } from './organization.view.js';
import { OrganizationsService } from './organizations.service.js';

@ApiTags('organizations')
@Controller('identity/orgs')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @RestOperation('listOrganizations', 'List organizations', 'Lists the organizations that the caller belongs to.')
  @Get()
  @ApiOkResponse({ type: OrganizationPage })
  async list(@CurrentActor() actor: Actor, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.organizations.list(actor, query), 'organizations', OrganizationView.fromEntity);
  }

  @RestOperation(
    'createOrganization',
    'Create an organization',
    'Creates an organization; the caller becomes its owner.',
  )
  @Post()
  @RequiresRight(organizationPolicy.create)
  @ApiCreatedResponse({ type: OrganizationView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewOrganization): Promise<OrganizationView> {
    return OrganizationView.fromEntity(await this.organizations.create(actor, actor.userId ?? '', input));
  }

  @RestOperation('getOrganization', 'Read an organization', 'Reads an organization.')
  @Get(':orgId')
  @ApiOkResponse({ type: OrganizationView })
  async get(@CurrentActor() actor: Actor, @IdParam('orgId') id: string): Promise<OrganizationView> {
    return OrganizationView.fromEntity(await this.organizations.get(actor, id));
  }

  @RestOperation('updateOrganization', 'Update an organization', 'Changes the fields that are sent.')
  @Put(':orgId')
  @RequiresRight(organizationPolicy.update, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: OrganizationView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') id: string,
    @Body() input: OrganizationChange,
    @IfMatch() match: Precondition,
  ): Promise<OrganizationView> {
    return OrganizationView.fromEntity(await this.organizations.update(actor, id, input, match));
  }

  @RestOperation('deleteOrganization', 'Delete an organization', 'Deletes an organization that has no workspace left.')
  @Delete(':orgId')
  @RequiresRight(organizationPolicy.delete, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: OrganizationView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') id: string,
    @IfMatch() match: Precondition,
  ): Promise<OrganizationView> {
    return OrganizationView.fromEntity(await this.organizations.delete(actor, id, match));
  }
}
