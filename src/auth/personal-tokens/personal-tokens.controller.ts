import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type Envelope, envelope } from '../../core/listing/page.js';
import { AnswersSecret } from '../../core/rest/answers-secret.js';
import { Id } from '../../core/rest/id.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { organizationPolicy } from '../../organizations/organization.policy.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { NewToken } from './personal-token.inputs.js';
import { tokenPolicy } from './personal-token.policy.js';
import { MintedTokenView, PersonalTokenPage, PersonalTokenView } from './personal-token.view.js';
import { PersonalTokensService, ServiceTokensService } from './personal-tokens.service.js';

@ApiTags('tokens')
@ApiBearerAuth()
@AnswersSecret()
@Controller('api/identity/tokens')
export class PersonalTokensController {
  constructor(private readonly tokens: PersonalTokensService) {}

  @Get()
  @ApiOkResponse({ type: PersonalTokenPage })
  async list(@Caller() actor: Actor, @Query() query: ListQuery): Promise<Envelope> {
    return envelope(await this.tokens.list(actor, query), 'tokens', PersonalTokenView.of);
  }

  @Post()
  @Requires(tokenPolicy.create)
  @ApiCreatedResponse({ type: MintedTokenView })
  async create(@Caller() actor: Actor, @Body() input: NewToken): Promise<MintedTokenView> {
    return MintedTokenView.ofMinted(await this.tokens.create(actor, input));
  }

  @Get(':id')
  @ApiOkResponse({ type: PersonalTokenView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<PersonalTokenView> {
    return PersonalTokenView.of(await this.tokens.get(actor, id));
  }

  @Delete(':id')
  @Requires(tokenPolicy.revoke, PersonalTokensService)
  @ApiOkResponse({ type: PersonalTokenView })
  async revoke(@Caller() actor: Actor, @Id() id: string): Promise<PersonalTokenView> {
    return PersonalTokenView.of(await this.tokens.revoke(actor, id));
  }
}

@ApiTags('tokens')
@ApiBearerAuth()
@AnswersSecret()
@Controller('api/identity/orgs/:orgId/service-accounts/:accountId/tokens')
export class ServiceTokensController {
  constructor(private readonly tokens: ServiceTokensService) {}

  @Get()
  @ApiOkResponse({ type: PersonalTokenPage })
  async list(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('accountId') accountId: string,
    @Query() query: ListQuery,
  ): Promise<Envelope> {
    return envelope(await this.tokens.list(actor, orgId, accountId, query), 'tokens', PersonalTokenView.of);
  }

  @Post()
  @Requires(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiCreatedResponse({ type: MintedTokenView })
  async create(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('accountId') accountId: string,
    @Body() input: NewToken,
  ): Promise<MintedTokenView> {
    return MintedTokenView.ofMinted(await this.tokens.create(actor, orgId, accountId, input));
  }

  @Delete(':id')
  @Requires(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: PersonalTokenView })
  async revoke(
    @Caller() actor: Actor,
    @Id('orgId') orgId: string,
    @Id('accountId') accountId: string,
    @Id() id: string,
  ): Promise<PersonalTokenView> {
    return PersonalTokenView.of(await this.tokens.revoke(actor, orgId, accountId, id));
  }
}
