import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Authenticator } from '../core/access/authenticator.js';
import { RightsGuard } from '../core/rest/rights/rights.guard.js';
import { EventBus } from '../core/events/event-bus.js';
import { JobsService } from '../jobs/jobs.service.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { UserCreated, UserDeactivated, UserUpdated } from '../organizations/users/user.events.js';
import { AuthenticationMiddleware } from './authentication.middleware.js';
import { PasswordResetLimiter, SignInLimiter } from './attempts/attempts.limiter.js';
import { AttemptsStore } from './attempts/attempts.store.js';
import { AuthController } from './auth.controller.js';
import { AuthGuard } from './auth.guard.js';
import { AuthService } from './auth.service.js';
import { ExternalTokenVerifier } from './external/external-token.verifier.js';
import { ExternalUsersService } from './external/external-users.service.js';
import { IssuerKeysService } from './external/issuer-keys.service.js';
import { FirstStartService } from './first-start.service.js';
import { PasswordResetsService } from './passwords/password-resets.service.js';
import { PasswordChangesService } from './passwords/password-changes.service.js';
import { PasswordResetsStore } from './passwords/password-resets.store.js';
import { PasswordsService } from './passwords/passwords.service.js';
import { PasswordsController } from './passwords/passwords.controller.js';
import { PersonalTokensController, ServiceTokensController } from './personal-tokens/personal-tokens.controller.js';
import { PersonalTokenVerifier } from './personal-tokens/personal-token.verifier.js';
import { PersonalTokensService, ServiceTokensService } from './personal-tokens/personal-tokens.service.js';
import { PersonalTokensStore } from './personal-tokens/personal-tokens.store.js';
import { TokenIssuanceService } from './personal-tokens/token-issuance.service.js';
import { TokenUsageRecorder } from './personal-tokens/token-usage.recorder.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { AccessTokensService } from './tokens/access-tokens.service.js';
import { RevocationsService } from './tokens/revocations.service.js';
import { SessionTokenVerifier } from './tokens/session-token.verifier.js';
import { SigningKeysService } from './tokens/signing-keys.service.js';
import { TokenAuthenticator } from './tokens/token.authenticator.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Who is calling. Global, because the sockets of GraphQL ask the same authenticator as the guard. */
@Global()
@Module({
  imports: [OrganizationsModule],
  controllers: [AuthController, PasswordsController, PersonalTokensController, ServiceTokensController],
  providers: [
    AuthenticationMiddleware,
    AuthService,
    SessionsStore,
    SigningKeysService,
    AccessTokensService,
    SessionTokenVerifier,
    RevocationsService,
    AttemptsStore,
    SignInLimiter,
    PasswordResetLimiter,
    PasswordsService,
    PasswordResetsStore,
    PasswordChangesService,
    PasswordResetsService,
    PersonalTokenVerifier,
    PersonalTokensService,
    PersonalTokensStore,
    ServiceTokensService,
    TokenIssuanceService,
    TokenUsageRecorder,
    ExternalTokenVerifier,
    ExternalUsersService,
    IssuerKeysService,
    FirstStartService,
    { provide: Authenticator, useClass: TokenAuthenticator },
    // The order of these is that of their questions: who is calling, then what they may.
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: RightsGuard },
  ],
  exports: [AuthenticationMiddleware, Authenticator, FirstStartService],
})
export class AuthModule {
  constructor(
    sessions: SessionsStore,
    revocations: RevocationsService,
    forgotten: PasswordResetsService,
    attempts: AttemptsStore,
    events: EventBus,
    jobs: JobsService,
  ) {
    events.within(UserCreated, ({ user }) => forgotten.requestConfirmation(user));
    events.within(UserUpdated, ({ user }) => revocations.notifyChanged(user.id));
    events.within(UserDeactivated, async ({ user }) => {
      await sessions.endAll(user.id);
      await revocations.revoke({ userId: user.id, sessionId: null });
    });
    jobs.schedule('purge.attempts', HOUR_MS, () => attempts.purge());
    jobs.schedule('purge.sessions', DAY_MS, () => sessions.purge());
  }
}
