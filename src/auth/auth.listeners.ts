import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../core/events/event-bus.js';
import { JobsService } from '../jobs/jobs.service.js';
import {
  UserCreated,
  UserDeactivated,
  UserLinked,
  UserPasswordChanged,
  UserReactivated,
  UserUnlinked,
  UserUpdated,
} from '../organizations/users/user.events.js';
import { AccountEmailsService } from './account-emails.service.js';
import { AttemptsStore } from './attempts/attempts.store.js';
import { AccountSignInsService } from './passwords/account-sign-ins.service.js';
import { PasswordEmailsService } from './passwords/password-emails.service.js';
import { SessionsStore } from './sessions/sessions.store.js';
import { RevocationsService } from './tokens/revocations.service.js';

/** Applies changes of accounts to their sessions and tokens. */
@Injectable()
export class AuthListeners implements OnModuleInit {
  constructor(
    private readonly revocations: RevocationsService,
    private readonly signIns: AccountSignInsService,
    private readonly emails: PasswordEmailsService,
    private readonly accountEmails: AccountEmailsService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.within(UserCreated, ({ user }) => this.emails.requestConfirmation(user));
    this.events.within(UserLinked, (event) => this.accountEmails.enqueue(event));
    this.events.within(UserUnlinked, (event) => this.accountEmails.enqueue(event));
    this.events.within(UserPasswordChanged, (event) => this.accountEmails.enqueue(event));
    this.events.within(UserUpdated, ({ user }) => this.revocations.notifyChanged(user.id));
    // The tokens of the user are valid again, but some may be cached as rejected.
    this.events.within(UserReactivated, ({ user }) => this.revocations.notifyChanged(user.id));
    this.events.within(UserDeactivated, ({ user }) => this.signIns.endAll(user.id));
  }
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Purges ended sessions and tokens, and expired attempts. */
@Injectable()
export class AuthPurges implements OnModuleInit {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly attempts: AttemptsStore,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('purge.attempts', HOUR_MS, () => this.attempts.purge());
    this.jobs.schedule('purge.sessions', DAY_MS, () => this.sessions.purge());
  }
}
