import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Public } from '../core/access/access.decorators.js';
import { NoStore } from '../core/rest/no-store.decorator.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { ApiEmptyResponse } from '../core/rest/openapi/schemas.js';
import { RefreshRequest, SignIn } from './auth.inputs.js';
import { AuthService } from './auth.service.js';
import { SessionsService } from './sessions.service.js';
import { TokensView } from './auth.view.js';

@ApiTags('auth')
@NoStore()
@Controller('auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
  ) {}

  @RestOperation(
    'signIn',
    'Sign in',
    'Exchanges an email address and a password for an access token and a refresh token. Attempts are limited by account and by address.',
    { errors: [401], example: { email: 'admin@armature.local', password: 'the password of the account' } },
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
}
