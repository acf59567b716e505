import { Body, Controller, Delete, HttpCode, Ip, Post, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Actor } from '../core/access/actor.js';
import { CurrentActor, Public } from '../core/access/access.decorators.js';
import { IfMatch, type Precondition } from '../core/rest/precondition.js';
import { NoStore } from '../core/rest/no-store.decorator.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { ApiEmptyResponse } from '../core/rest/openapi/schemas.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import { ProfileView } from '../organizations/profiles/profile.view.js';
import { userPolicy } from '../organizations/users/user.policy.js';
import { AccountLink, AccountUnlink, RefreshRequest, SignIn } from './auth.inputs.js';
import { AuthService } from './auth.service.js';
import { AccountLinkingService } from './external/account-linking.service.js';
import { SessionsService } from './sessions.service.js';
import { TokensView } from './auth.view.js';
import { readBearerToken } from './token.authenticator.js';

@ApiTags('auth')
@NoStore()
@Controller('auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
    private readonly linking: AccountLinkingService,
  ) {}

  @RestOperation(
    'signIn',
    'Sign in',
    'Exchanges an email address and a password for an access token and a refresh token. Attempts are limited by account and by address.',
    { errors: [401] },
  )
  @Public()
  @Post('login')
  @HttpCode(200)
  @ApiOkResponse({ type: TokensView })
  login(@Body() input: SignIn, @Ip() address: string): Promise<TokensView> {
    return this.auth.login(input, address);
  }

  @RestOperation(
    'refreshToken',
    'Refresh tokens',
    'Exchanges a refresh token for new tokens. A refresh token works once; using it again ends its whole session.',
    { errors: [401] },
  )
  @Public()
  @Post('refresh')
  @HttpCode(200)
  @ApiOkResponse({ type: TokensView })
  refresh(@Body() { refresh_token }: RefreshRequest): Promise<TokensView> {
    return this.sessions.refresh(refresh_token);
  }

  @RestOperation('signOut', 'Sign out', 'Ends the session that the refresh token belongs to.')
  @Post('logout')
  @HttpCode(200)
  @ApiEmptyResponse('The session has ended.')
  async logout(@Body() { refresh_token }: RefreshRequest): Promise<object> {
    await this.sessions.logout(refresh_token);
    return {};
  }

  @RestOperation(
    'linkAccount',
    'Link the account of the issuer',
    'Joins the caller, a user of the OpenID Connect issuer, to the account that the address of the token has here already. From then on the tokens of the issuer act as that account, which keeps its password. Attempts are limited as sign-ins are.',
    { errors: [409] },
  )
  @ApiBearerAuth()
  @Post('link')
  @HttpCode(200)
  @RequiresRight(userPolicy.linkAccount)
  @ApiOkResponse({ type: ProfileView })
  link(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() { password }: AccountLink,
    @Ip() address: string,
  ): Promise<ProfileView> {
    return this.linking.link(actor, readBearerToken(request) ?? '', password, address);
  }

  @RestOperation(
    'unlinkAccount',
    'Unlink the account of the issuer',
    'Ends the link to the user of the OpenID Connect issuer, which the profile shows as `identity`: its tokens no longer act as the account of the caller, whose open sockets close and whose sessions end except the calling one. The account keeps its password, which confirms the call. Attempts are limited as sign-ins are.',
    { errors: [409] },
  )
  @ApiBearerAuth()
  @Delete('link')
  @RequiresRight(userPolicy.unlinkAccount)
  @ApiOkResponse({ type: ProfileView })
  unlink(
    @CurrentActor() actor: Actor,
    @Body() { password }: AccountUnlink,
    @Ip() address: string,
    @IfMatch() match: Precondition,
  ): Promise<ProfileView> {
    return this.linking.unlink(actor, password, address, match);
  }
}
