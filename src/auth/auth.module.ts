import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Authenticator } from '../core/access/authenticator.js';
import { RightsGuard } from '../core/rest/rights/rights.guard.js';
import { EventBus } from '../core/events/event-bus.js';
import { Jobs } from '../jobs/jobs.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { UserCreated, UserDeactivated, UserUpdated } from '../organizations/users/user.events.js';
import { Admission } from './admission.js';
import { ForgottenLimit, SignInLimit } from './attempts/attempt-limits.js';
import { AttemptsStore } from './attempts/attempts.store.js';
import { AuthController } from './auth.controller.js';
import { AuthGuard } from './auth.guard.js';
import { AuthService } from './auth.service.js';
import { ExternalTokens } from './external/external-tokens.js';
import { ExternalUsersService } from './external/external-users.service.js';
import { IssuerKeys } from './external/issuer-keys.js';
import { FirstStart } from './first-start.js';
import { ForgottenPasswordsService } from './passwords/forgotten-passwords.service.js';
import { PasswordChangesService } from './passwords/password-changes.service.js';
import { PasswordResetsStore } from './passwords/password-resets.store.js';
import { Passwords } from './passwords/passwords.js';
import { PasswordsController } from './passwords/passwords.controller.js';
import { PersonalTokensController, ServiceTokensController } from './personal-tokens/personal-tokens.controller.js';
import { PersonalTokens } from './personal-tokens/personal-tokens.js';
import { PersonalTokensService, ServiceTokensService } from './personal-tokens/personal-tokens.service.js';
import { PersonalTokensStore } from './personal-tokens/personal-tokens.store.js';
import { TokenMint } from './personal-tokens/token-mint.js';
import { TokenUses } from './personal-tokens/token-uses.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { Revocations } from './tokens/revocations.js';
import { SessionTokens } from './tokens/session-tokens.js';
import { SigningKeys } from './tokens/signing-keys.js';
import { TokenAuthenticator } from './tokens/token-authenticator.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Who is calling. Global, because the sockets of GraphQL ask the same authenticator as the guard. */
@Global()
@Module({
  imports: [OrganizationsModule],
  controllers: [AuthController, PasswordsController, PersonalTokensController, ServiceTokensController],
  providers: [
    Admission,
    AuthService,
    SessionsStore,
    SigningKeys,
    AccessTokens,
    SessionTokens,
    Revocations,
    AttemptsStore,
    SignInLimit,
    ForgottenLimit,
    Passwords,
    PasswordResetsStore,
    PasswordChangesService,
    ForgottenPasswordsService,
    PersonalTokens,
    PersonalTokensService,
    PersonalTokensStore,
    ServiceTokensService,
    TokenMint,
    TokenUses,
    ExternalTokens,
    ExternalUsersService,
    IssuerKeys,
    FirstStart,
    { provide: Authenticator, useClass: TokenAuthenticator },
    // The order of these is that of their questions: who is calling, then what they may.
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: RightsGuard },
  ],
  exports: [Admission, Authenticator, FirstStart],
})
export class AuthModule {
  constructor(
    sessions: SessionsStore,
    revocations: Revocations,
    forgotten: ForgottenPasswordsService,
    attempts: AttemptsStore,
    events: EventBus,
    jobs: Jobs,
  ) {
    events.within(UserCreated, ({ user }) => forgotten.askToConfirm(user));
    events.within(UserUpdated, ({ user }) => revocations.changed(user.id));
    events.within(UserDeactivated, async ({ user }) => {
      await sessions.endAll(user.id);
      await revocations.revoke({ userId: user.id, sessionId: null });
    });
    jobs.every('purge.attempts', HOUR_MS, () => attempts.purge());
    jobs.every('purge.sessions', DAY_MS, () => sessions.purge());
  }
}
