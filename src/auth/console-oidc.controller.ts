import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiResponse, ApiTags } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import type { Request, Response } from 'express';
import { Public } from '../core/access/access.decorators.js';
import { Env } from '../core/config/env.js';
import { generateSecretToken } from '../core/crypto/secret-token.js';
import { InvalidRequest, NotFound, Unauthenticated } from '../core/errors/app-error.js';
import { NoStore } from '../core/rest/no-store.decorator.js';
import { isPageRequested } from '../core/rest/pages/page.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { ownOrigin } from '../core/rest/same-origin.js';
import { ConsoleCookie } from './console/console-cookie.js';
import { consolePath } from './console/console-path.js';
import { CALLBACK_PATH, SignInCookie } from './console/sign-in-cookie.js';
import { ExternalUsersService } from './external/external-users.service.js';
import { IssuerSignInService } from './external/issuer-sign-in.service.js';
import { SessionsService } from './sessions.service.js';

/** A path of the console: neither of another host, which `//` and `/\` begin, nor of the API. */
const CONSOLE_PATH = /^\/(?![/\\]|api(?:[/?#]|$))[\x21-\x7e]*$/;

const QueryParameter =
  (maxLength: number): PropertyDecorator =>
  (target, key) => {
    IsOptional()(target, key);
    IsString({ message: 'must be given once' })(target, key);
    MaxLength(maxLength, { message: `must have at most ${maxLength} characters` })(target, key);
  };

class StartQuery {
  @ApiPropertyOptional({
    type: String,
    default: '/',
    description: 'The path of the console that is opened afterwards.',
  })
  @QueryParameter(2_000)
  return?: string;
}

class CallbackQuery {
  @ApiPropertyOptional({ type: String, description: 'What the issuer gives for the sign-in.' })
  @QueryParameter(4_000)
  code?: string;

  @ApiProperty({ type: String, description: 'What the sign-in was started with.' })
  @QueryParameter(500)
  state?: string;

  @ApiPropertyOptional({ type: String, description: 'Why the issuer did not sign in.' })
  @QueryParameter(500)
  error?: string;

  @ApiPropertyOptional({ type: String, description: 'The issuer (RFC 9207).' })
  @QueryParameter(2_000)
  iss?: string;
}

/** The sign-in of the console at the OpenID Connect issuer. */
@ApiTags('auth')
@Public()
@NoStore()
@Controller('auth/console/oidc')
export class ConsoleOidcController {
  constructor(
    private readonly issuer: IssuerSignInService,
    private readonly users: ExternalUsersService,
    private readonly sessions: SessionsService,
    private readonly cookie: ConsoleCookie,
    private readonly started: SignInCookie,
    private readonly env: Env,
  ) {}

  @RestOperation(
    'startConsoleSignIn',
    'Sign in at the issuer',
    'Sends a browser to the OpenID Connect issuer (authorization code flow with PKCE). There is none without `OIDC_CLIENT_ID`.',
    { errors: [404, 502] },
  )
  @Get('start')
  @ApiResponse({ status: 303, description: 'To the issuer.' })
  async start(
    @Query() { return: destination = '/' }: StartQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    isPageRequested(request, response);
    this.assertConfigured();
    if (!CONSOLE_PATH.test(destination)) throw InvalidRequest.forField('return', 'must be a path of the console');
    const [state, nonce, verifier] = [generateSecretToken(), generateSecretToken(), generateSecretToken()];
    const url = await this.issuer.getAuthorizationUrl({ state, nonce, verifier }, this.redirectUri(request));
    this.started.set(request, response, { state, nonce, verifier, destination });
    redirect(response, url);
  }

  @RestOperation(
    'finishConsoleSignIn',
    'Return from the issuer',
    'Opens the session of the console for the user whom the issuer has signed in, in the browser that started the sign-in, and sends it to the console.',
    { errors: [401, 404, 502] },
  )
  @Get('callback')
  @ApiResponse({ status: 303, description: 'To the console.' })
  async callback(@Query() query: CallbackQuery, @Req() request: Request, @Res() response: Response): Promise<void> {
    isPageRequested(request, response);
    this.assertConfigured();
    const started = this.started.read(request);
    this.started.clear(request, response);
    if (!started || query.state !== started.state) throw notStarted();
    if (query.iss !== undefined && query.iss !== this.env.OIDC_ISSUER) throw notStarted();
    if (query.code === undefined || query.error !== undefined) throw notSignedIn();
    const claims = await this.issuer.redeem(query.code, started, this.redirectUri(request));
    const tokens = await this.sessions.open(await this.users.resolve(claims), 'console');
    if (!tokens) throw notSignedIn();
    this.cookie.set(request, response, tokens.refresh_token);
    // The cookie may have been set by another site of the domain.
    redirect(response, consolePath(this.env, CONSOLE_PATH.test(started.destination) ? started.destination : '/'));
  }

  private assertConfigured(): void {
    if (!this.issuer.isConfigured) throw new NotFound('sign-in', 'with OpenID Connect');
  }

  private redirectUri(request: Request): string {
    return (ownOrigin(request, this.env) ?? new URL(this.env.baseUrl).origin) + consolePath(this.env, CALLBACK_PATH);
  }
}

function redirect(response: Response, url: string): void {
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).redirect(303, url);
}

const SIGN_IN_AGAIN = { remedy: 'Open the console, and sign in again.' };

const notStarted = (): Unauthenticated =>
  new Unauthenticated('the sign-in was not started in this browser, or more than ten minutes ago', SIGN_IN_AGAIN);

const notSignedIn = (): Unauthenticated => new Unauthenticated('the issuer did not sign you in', SIGN_IN_AGAIN);
