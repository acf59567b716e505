import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { organizationPolicy } from '../../organizations/organization.policy.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { NewToken } from './personal-token.inputs.js';
import { tokenPolicy } from './personal-token.policy.js';
import { MintedTokenView, PersonalTokenPage, PersonalTokenView } from './personal-token.view.js';
import { PersonalTokensService, ServiceTokensService } from './personal-tokens.service.js';

@ApiTags('tokens')
@NoStore()
@Controller('identity/tokens')
export class PersonalTokensController {
  constructor(private readonly tokens: PersonalTokensService) {}

  @RestOperation('listTokens', 'List personal access tokens', 'Lists the tokens of the caller, without their secrets.')
  @Get()
  @ApiOkResponse({ type: PersonalTokenPage })
  async list(@CurrentActor() actor: Actor, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.tokens.list(actor, query), 'tokens', PersonalTokenView.fromEntity);
  }

  @RestOperation(
    'createToken',
    'Create a personal access token',
    'Creates a token with scopes. Its secret is shown in this response only.',
  )
  @Post()
  @RequiresRight(tokenPolicy.create)
  @ApiCreatedResponse({ type: MintedTokenView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewToken): Promise<MintedTokenView> {
    return MintedTokenView.fromMinted(await this.tokens.create(actor, input));
  }

  @RestOperation('getToken', 'Read a personal access token', 'Reads a token of the caller, without its secret.')
  @Get(':id')
  @ApiOkResponse({ type: PersonalTokenView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PersonalTokenView> {
    return PersonalTokenView.fromEntity(await this.tokens.get(actor, id));
  }

  @RestOperation(
    'revokeToken',
    'Revoke a personal access token',
    'Revokes a token of the caller; it stops working within a second.',
  )
  @Delete(':id')
  @RequiresRight(tokenPolicy.revoke, PersonalTokensService)
  @ApiOkResponse({ type: PersonalTokenView })
  async revoke(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<PersonalTokenView> {
    return PersonalTokenView.fromEntity(await this.tokens.revoke(actor, id, match));
  }
}

@ApiTags('tokens')
@NoStore()
@Controller('identity/orgs/:orgId/service-accounts/:accountId/tokens')
export class ServiceTokensController {
  constructor(private readonly tokens: ServiceTokensService) {}

  @RestOperation(
    'listServiceAccountTokens',
    'List tokens of a service account',
    'Lists the tokens of a service account, without their secrets.',
  )
  @Get()
  @ApiOkResponse({ type: PersonalTokenPage })
  async list(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('accountId') accountId: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(
      await this.tokens.list(actor, orgId, accountId, query),
      'tokens',
      PersonalTokenView.fromEntity,
    );
  }

  @RestOperation(
    'createServiceAccountToken',
    'Create a token of a service account',
    'Creates a token with scopes for a service account. Its secret is shown in this response only.',
  )
  @Post()
  @RequiresRight(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: MintedTokenView })
  async create(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('accountId') accountId: string,
    @Body() input: NewToken,
  ): Promise<MintedTokenView> {
    return MintedTokenView.fromMinted(await this.tokens.create(actor, orgId, accountId, input));
  }

  @RestOperation(
    'revokeServiceAccountToken',
    'Revoke a token of a service account',
    'Revokes a token of a service account; it stops working within a second.',
  )
  @Delete(':id')
  @RequiresRight(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: PersonalTokenView })
  async revoke(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('accountId') accountId: string,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<PersonalTokenView> {
    return PersonalTokenView.fromEntity(await this.tokens.revoke(actor, orgId, accountId, id, match));
  }
}
