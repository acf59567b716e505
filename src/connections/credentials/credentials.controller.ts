import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { OrganizationListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope, singlePage } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight, RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { credentialPolicy } from '../connection.policy.js';
import { ConnectionPage, ConnectionView } from '../connection.view.js';
import { CredentialChange, NewCredential } from './credential.inputs.js';
import { CredentialPage, CredentialView } from './credential.view.js';
import { CredentialsService } from './credentials.service.js';

@ApiTags('credentials')
@ApiBearerAuth()
@NoStore()
@Controller('api/integrations/credentials')
export class CredentialsController {
  constructor(private readonly credentials: CredentialsService) {}

  @Get()
  @ApiOkResponse({ type: CredentialPage })
  async list(@CurrentActor() actor: Actor, @Query() query: OrganizationListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.credentials.list(actor, query), 'credentials', CredentialView.fromEntity);
  }

  @Post()
  @RequiresBodyRight(credentialPolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: CredentialView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewCredential): Promise<CredentialView> {
    return CredentialView.fromEntity(await this.credentials.create(actor, input));
  }

  @Get(':id')
  @ApiOkResponse({ type: CredentialView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<CredentialView> {
    return CredentialView.fromEntity(await this.credentials.get(actor, id));
  }

  @Put(':id')
  @RequiresRight(credentialPolicy.update, CredentialsService)
  @ApiOkResponse({ type: CredentialView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: CredentialChange,
    @IfMatch() match: Precondition,
  ): Promise<CredentialView> {
    return CredentialView.fromEntity(await this.credentials.update(actor, id, input, match));
  }

  @Delete(':id')
  @RequiresRight(credentialPolicy.delete, CredentialsService)
  @ApiOkResponse({ type: CredentialView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<CredentialView> {
    return CredentialView.fromEntity(await this.credentials.delete(actor, id, match));
  }

  /** Who uses it. */
  @Get(':id/connections')
  @ApiOkResponse({ type: ConnectionPage })
  async users(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PageEnvelope> {
    return toPageEnvelope(
      singlePage(await this.credentials.listConnections(actor, id)),
      'connections',
      ConnectionView.fromEntity,
    );
  }
}
