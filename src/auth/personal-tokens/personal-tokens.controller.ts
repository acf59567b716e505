import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { organizationPolicy } from '../../organizations/organization.policy.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { NewToken } from './personal-token.inputs.js';
import { tokenPolicy } from './personal-token.policy.js';
import { MintedTokenView, PersonalTokenPage, PersonalTokenView } from './personal-token.view.js';
import { PersonalTokensService, ServiceTokensService } from './personal-tokens.service.js';

@ApiTags('tokens')
@ApiBearerAuth()
@NoStore()
@Controller('api/identity/tokens')
export class PersonalTokensController {
  constructor(private readonly tokens: PersonalTokensService) {}

  @Get()
  @ApiOkResponse({ type: PersonalTokenPage })
  async list(@CurrentActor() actor: Actor, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.tokens.list(actor, query), 'tokens', PersonalTokenView.fromEntity);
  }

  @Post()
  @RequiresRight(tokenPolicy.create)
  @ApiCreatedResponse({ type: MintedTokenView })
  async create(@CurrentActor() actor: Actor, @Body() input: NewToken): Promise<MintedTokenView> {
    return MintedTokenView.fromMinted(await this.tokens.create(actor, input));
  }

  @Get(':id')
  @ApiOkResponse({ type: PersonalTokenView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PersonalTokenView> {
    return PersonalTokenView.fromEntity(await this.tokens.get(actor, id));
  }

  @Delete(':id')
  @RequiresRight(tokenPolicy.revoke, PersonalTokensService)
  @ApiOkResponse({ type: PersonalTokenView })
  async revoke(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PersonalTokenView> {
    return PersonalTokenView.fromEntity(await this.tokens.revoke(actor, id));
  }
}

@ApiTags('tokens')
@ApiBearerAuth()
@NoStore()
@Controller('api/identity/orgs/:orgId/service-accounts/:accountId/tokens')
export class ServiceTokensController {
  constructor(private readonly tokens: ServiceTokensService) {}

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

  @Delete(':id')
  @RequiresRight(organizationPolicy.manageServiceAccounts, OrganizationsService, 'orgId')
  @ApiOkResponse({ type: PersonalTokenView })
  async revoke(
    @CurrentActor() actor: Actor,
    @IdParam('orgId') orgId: string,
    @IdParam('accountId') accountId: string,
    @IdParam() id: string,
  ): Promise<PersonalTokenView> {
    return PersonalTokenView.fromEntity(await this.tokens.revoke(actor, orgId, accountId, id));
  }
}
