import { Injectable } from '@nestjs/common';
import { verifyPassword } from '../core/crypto/password-hashing.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import { UsersStore } from '../organizations/users/users.store.js';
import { SignInLimiter } from './attempts/attempts.limiter.js';
import type { SignIn } from './auth.inputs.js';
import type { TokensView } from './auth.view.js';
import { type SessionKind, SessionsService } from './sessions.service.js';

/** Signs users in with their passwords. */
@Injectable()
export class AuthService {
  constructor(
    private readonly users: UsersStore,
    private readonly sessions: SessionsService,
    private readonly limit: SignInLimiter,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws Unauthenticated, the same for an unknown address and a wrong password; 429 after too many failures */
  async login({ email, password }: SignIn, address: string, kind: SessionKind = 'api'): Promise<TokensView> {
    const attempt = await this.limit.begin(email, address);
    const user = await this.unit.runAsSystem('signing in', () => this.users.findByEmail(email));
    const holds = await verifyPassword(user?.deactivatedAt ? null : user?.passwordHash, password);
    const tokens = user && holds ? await this.sessions.open(user, kind) : null;
    if (!tokens) throw invalidCredentials();
    await attempt.succeeded();
    return tokens;
  }
}

const invalidCredentials = (): Unauthenticated =>
  new Unauthenticated('the e-mail address or the password is wrong', { remedy: 'Check both and try again.' });
