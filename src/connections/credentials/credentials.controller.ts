import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { OrganizationListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope, whole } from '../../core/listing/page.js';
import { AnswersSecret } from '../../core/rest/answers-secret.js';
import { Id } from '../../core/rest/id.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { Requires, RequiresIn } from '../../core/rest/rights/requires.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { credentialPolicy } from '../connection.policy.js';
import { ConnectionPage, ConnectionView } from '../connection.view.js';
import { CredentialChange, NewCredential } from './credential.inputs.js';
import { CredentialPage, CredentialView } from './credential.view.js';
import { CredentialsService } from './credentials.service.js';

@ApiTags('credentials')
@ApiBearerAuth()
@AnswersSecret()
@Controller('api/integrations/credentials')
export class CredentialsController {
  constructor(private readonly credentials: CredentialsService) {}

  @Get()
  @ApiOkResponse({ type: CredentialPage })
  async list(@Caller() actor: Actor, @Query() query: OrganizationListQuery): Promise<Envelope> {
    return envelope(await this.credentials.list(actor, query), 'credentials', CredentialView.of);
  }

  @Post()
  @RequiresIn(credentialPolicy.create, OrganizationsService)
  @ApiCreatedResponse({ type: CredentialView })
  async create(@Caller() actor: Actor, @Body() input: NewCredential): Promise<CredentialView> {
    return CredentialView.of(await this.credentials.create(actor, input));
  }

  @Get(':id')
  @ApiOkResponse({ type: CredentialView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<CredentialView> {
    return CredentialView.of(await this.credentials.get(actor, id));
  }

  @Put(':id')
  @Requires(credentialPolicy.update, CredentialsService)
  @ApiOkResponse({ type: CredentialView })
  async update(
    @Caller() actor: Actor,
    @Id() id: string,
    @Body() input: CredentialChange,
    @IfMatch() match: Precondition,
  ): Promise<CredentialView> {
    return CredentialView.of(await this.credentials.update(actor, id, input, match));
  }

  @Delete(':id')
  @Requires(credentialPolicy.delete, CredentialsService)
  @ApiOkResponse({ type: CredentialView })
  async delete(@Caller() actor: Actor, @Id() id: string, @IfMatch() match: Precondition): Promise<CredentialView> {
    return CredentialView.of(await this.credentials.delete(actor, id, match));
  }

  /** Who uses it. */
  @Get(':id/connections')
  @ApiOkResponse({ type: ConnectionPage })
  async users(@Caller() actor: Actor, @Id() id: string): Promise<Envelope> {
    return envelope(whole(await this.credentials.users(actor, id)), 'connections', ConnectionView.of);
  }
}
