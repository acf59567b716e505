import { Body, Controller, Delete, HttpCode, Ip, Post, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../core/access/access.decorators.js';
import { SameOrigin } from '../core/access/same-origin.decorator.js';
import { NoStore } from '../core/rest/no-store.decorator.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { SignIn } from './auth.inputs.js';
import { AuthService } from './auth.service.js';
import { AccessTokenView, type TokensView } from './auth.view.js';
import { SessionsService } from './sessions.service.js';
import { ConsoleCookie } from './console/console-cookie.js';

/** Sessions of browsers: the access token is for the script of the console, the refresh token stays in a cookie. */
@ApiTags('auth')
@Public()
@SameOrigin()
@NoStore()
@Controller('auth/console')
export class ConsoleSessionController {
  constructor(
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
    private readonly cookie: ConsoleCookie,
  ) {}

  @RestOperation(
    'signInToConsole',
    'Sign in to the console',
    'Exchanges an email address and a password for an access token, and sets the refresh token as a cookie that no script can read. Only pages of this server may call it. Attempts are limited by account and by address.',
    { errors: [401, 403] },
  )
  @Post('login')
  @HttpCode(200)
  @ApiOkResponse({ type: AccessTokenView })
  async login(
    @Body() input: SignIn,
    @Ip() address: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccessTokenView> {
    return this.keep(await this.auth.login(input, address, 'console'), request, response);
  }

  @RestOperation(
    'refreshConsoleSession',
    'Refresh the session of the console',
    'Returns the next access token and replaces the cookie. A cookie that was just replaced is accepted for 10 seconds more, since tabs refresh at the same time, and is not replaced again; after that its use ends the whole session.',
    { errors: [401, 403] },
  )
  @Post('session')
  @HttpCode(200)
  @ApiOkResponse({ type: AccessTokenView })
  async refresh(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<AccessTokenView> {
    return this.keep(await this.sessions.refreshConsole(this.cookie.read(request)), request, response);
  }

  @RestOperation(
    'signOutOfConsole',
    'Sign out of the console',
    'Ends the session that the cookie belongs to, and clears the cookie. The access tokens of the session end at once.',
    { errors: [403] },
  )
  @Delete('session')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'There is no session any more.' })
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    const refreshToken = this.cookie.read(request);
    if (refreshToken !== undefined) await this.sessions.endFamily(refreshToken);
    this.cookie.clear(request, response);
  }

  /** The refresh token goes into the cookie, and never into the body. */
  private keep(
    { refresh_token: refreshToken, ...token }: AccessTokenView & Partial<TokensView>,
    request: Request,
    response: Response,
  ): AccessTokenView {
    if (refreshToken !== undefined) this.cookie.set(request, response, refreshToken);
    return token;
  }
}
