import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { OrganizationListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight, RequiresBodyRight } from '../../core/rest/rights/rights.decorators.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { CredentialChange, NewCredential } from './credential.inputs.js';
import { credentialPolicy } from './credential.policy.js';
import { CredentialPage, CredentialView } from './credential.view.js';
import { CredentialsService } from './credentials.service.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';

@ApiTags('credentials')
@NoStore()
@Controller('integrations/credentials')
export class CredentialsController {
  constructor(private readonly credentials: CredentialsService) {}

  @RestOperation(
    'listCredentials',
    'List credentials',
    'Lists the credentials of an organization, without their secrets.',
  )
  @Get()
  @ApiOkResponse({ type: CredentialPage })
  async list(@CurrentActor() actor: Actor, @Query() query: OrganizationListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.credentials.list(actor, query), 'credentials', CredentialView.fromEntity);
  }

  @RestOperation('createCredential', 'Create a credential', 'Seals a secret under a name. It is never shown again.')
  @Post()
  @RequiresBodyRight(credentialPolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: CredentialView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewCredential): Promise<CredentialView> {
    return CredentialView.fromEntity(await this.credentials.create(actor, input));
  }

  @RestOperation('getCredential', 'Read a credential', 'Reads a credential, without its secret.')
  @Get(':id')
  @ApiOkResponse({ type: CredentialView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<CredentialView> {
    return CredentialView.fromEntity(await this.credentials.get(actor, id));
  }

  @RestOperation(
    'updateCredential',
    'Update a credential',
    'Changes the fields that are sent; a new secret replaces the old one.',
  )
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

  @RestOperation('deleteCredential', 'Delete a credential', 'Deletes a credential that no connection uses.')
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
}
