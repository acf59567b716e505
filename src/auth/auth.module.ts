import { Global, Module } from '@nestjs/common';
import { Authenticator } from '../core/access/authenticator.js';
import { guards } from '../core/rest/pipeline.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AuthenticationMiddleware } from './authentication.middleware.js';
import { PasswordResetLimiter, SignInLimiter } from './attempts/attempts.limiter.js';
import { AttemptsStore } from './attempts/attempts.store.js';
import { AuthController } from './auth.controller.js';
import { AuthGuard } from './auth.guard.js';
import { CallersController } from './callers.controller.js';
import { AuthListeners, AuthPurges } from './auth.listeners.js';
import { AuthService } from './auth.service.js';
import { ConsoleCookie } from './console/console-cookie.js';
import { SignInCookie } from './console/sign-in-cookie.js';
import { ConsoleOidcController } from './console-oidc.controller.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { AccountLinkingService } from './external/account-linking.service.js';
import { ExternalAccountsService } from './external/external-accounts.service.js';
import { ExternalTokenStrategy } from './external/external-token.strategy.js';
import { AccountEmailsService } from './account-emails.service.js';
import { ExternalUsersService } from './external/external-users.service.js';
import { IssuerSignInService } from './external/issuer-sign-in.service.js';
import { IssuerKeysService } from './external/issuer-keys.service.js';
import { FirstStartService } from './first-start.service.js';
import { AccountSignInsService } from './passwords/account-sign-ins.service.js';
import { PasswordEmailsService } from './passwords/password-emails.service.js';
import { PasswordResetsService } from './passwords/password-resets.service.js';
import { PasswordChangesService } from './passwords/password-changes.service.js';
import { PasswordResetsStore } from './passwords/password-resets.store.js';
import { PasswordsService } from './passwords/passwords.service.js';
import { PasswordPagesController } from './passwords/password-pages.controller.js';
import { PasswordsController } from './passwords/passwords.controller.js';
import { PersonalTokensController, ServiceTokensController } from './personal-tokens/personal-tokens.controller.js';
import { PersonalTokenVerifier } from './personal-tokens/personal-token.verifier.js';
import { PersonalTokensService, ServiceTokensService } from './personal-tokens/personal-tokens.service.js';
import { PersonalTokensStore } from './personal-tokens/personal-tokens.store.js';
import { TokenIssuanceService } from './personal-tokens/token-issuance.service.js';
import { TokenUsageRecorder } from './personal-tokens/token-usage.recorder.js';
import { SessionsService } from './sessions.service.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { RevocationsService } from './tokens/revocations.service.js';
import { SessionTokenStrategy } from './sessions/session-token.strategy.js';
import { SigningKeysService } from './tokens/signing-keys.service.js';
import { TokenStrategies } from './token-strategies.js';
import { TokenAuthenticator } from './token.authenticator.js';

/** Authentication. Global, because GraphQL WebSockets use the same authenticator as the guard. */
@Global()
@Module({
  imports: [OrganizationsModule],
  controllers: [
    AuthController,
    ConsoleSessionController,
    CallersController,
    ConsoleOidcController,
    PasswordsController,
    PasswordPagesController,
    PersonalTokensController,
    ServiceTokensController,
  ],
  providers: [
    AuthenticationMiddleware,
    AuthService,
    ConsoleCookie,
    SignInCookie,
    AuthListeners,
    AuthPurges,
    SessionsService,
    SessionsStore,
    SigningKeysService,
    SessionTokenStrategy,
    TokenStrategies,
    RevocationsService,
    AttemptsStore,
    SignInLimiter,
    PasswordResetLimiter,
    PasswordsService,
    PasswordResetsStore,
    PasswordChangesService,
    PasswordResetsService,
    PasswordEmailsService,
    AccountSignInsService,
    PersonalTokenVerifier,
    PersonalTokensService,
    PersonalTokensStore,
    ServiceTokensService,
    TokenIssuanceService,
    TokenUsageRecorder,
    ExternalTokenStrategy,
    AccountLinkingService,
    ExternalAccountsService,
    ExternalUsersService,
    IssuerSignInService,
    IssuerKeysService,
    AccountEmailsService,
    FirstStartService,
    { provide: Authenticator, useClass: TokenAuthenticator },
    ...guards(AuthGuard),
  ],
  exports: [IssuerKeysService, AuthenticationMiddleware, Authenticator, FirstStartService],
})
export class AuthModule {}
