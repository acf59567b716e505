import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Authenticator } from '../core/access/authenticator.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AuthController } from './auth.controller.js';
import { AuthGuard } from './auth.guard.js';
import { AuthService } from './auth.service.js';
import { FirstStart } from './first-start.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { SignInLimit } from './sign-in-limit.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { Revocations } from './tokens/revocations.js';
import { SessionTokens } from './tokens/session-tokens.js';
import { SigningKeys } from './tokens/signing-keys.js';
import { TokenAuthenticator } from './tokens/token-authenticator.js';

/** Who is calling. Global, because the sockets of GraphQL ask the same authenticator as the guard. */
@Global()
@Module({
  imports: [OrganizationsModule],
  controllers: [AuthController],
  providers: [
    AuthService,
    SessionsStore,
    SigningKeys,
    AccessTokens,
    SessionTokens,
    Revocations,
    SignInLimit,
    FirstStart,
    { provide: Authenticator, useClass: TokenAuthenticator },
    { provide: APP_GUARD, useClass: AuthGuard },
  ],
  exports: [Authenticator, FirstStart],
})
export class AuthModule {}
