import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { Env, InvalidEnvironment } from '../core/config/env.js';
import { findPasswordFault } from '../core/crypto/password-rule.js';
import { hashPassword } from '../core/crypto/password-hashing.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { normalizeEmail } from '../core/schema/one-line-text.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { User } from '../organizations/users/user.entity.js';
import { UsersStore } from '../organizations/users/users.store.js';
import { SessionsService } from './sessions.service.js';

/** The key of the advisory lock that lets one replica fill an empty database. */
const ADVISORY_LOCK_KEY = 4_152_772;
const DEFAULT_EMAIL = 'admin@armature.local';

/** The first administrator; the password is known only when it was generated here. */
export interface FirstAdministrator {
  userId: string;
  email: string;
  generatedPassword: string | null;
  organizationId: string;
  token: string;
}

interface Credentials {
  email: string;
  generatedPassword: string | null;
  passwordHash: string;
}

/** Creates the organization Default with its workspace, and an administrator who owns it, in an empty database. */
@Injectable()
export class FirstStartService {
  constructor(
    private readonly users: UsersStore,
    private readonly organizations: OrganizationsService,
    private readonly sessions: SessionsService,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
  ) {}

  /**
   * Initializes the database unless it has users, as the last step of the start. The administrator is stored only after `show` has
   * printed the credentials: a password that was never shown is not stored, and the next start generates another.
   * @returns null when the database was not empty
   */
  async seed(show: (administrator: FirstAdministrator) => Promise<void>): Promise<FirstAdministrator | null> {
    if (await this.users.anyExists()) return null;
    const credentials = await this.prepareCredentials();
    return this.unit.run(async () => {
      await this.unit.manager.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK_KEY]);
      if (await this.users.anyExists()) return null;
      const administrator = await this.createAdministrator(credentials);
      this.unit.beforeCommit(() => show(administrator));
      return administrator;
    });
  }

  private async prepareCredentials(): Promise<Credentials> {
    const generatedPassword = this.env.ADMIN_PASSWORD ? null : randomBytes(12).toString('base64url');
    const email = normalizeEmail(this.env.ADMIN_EMAIL ?? DEFAULT_EMAIL);
    const fault = this.env.ADMIN_PASSWORD && findPasswordFault(this.env.ADMIN_PASSWORD, email);
    if (fault) throw new InvalidEnvironment([{ name: 'ADMIN_PASSWORD', message: fault }]);
    const passwordHash = await hashPassword(this.env.ADMIN_PASSWORD ?? generatedPassword ?? '', email);
    return { email, generatedPassword, passwordHash };
  }

  private async createAdministrator({
    email,
    generatedPassword,
    passwordHash,
  }: Credentials): Promise<FirstAdministrator> {
    const user = Object.assign(new User(), {
      email,
      firstName: 'Administrator',
      lastName: '',
      passwordHash,
      installationAdmin: true,
      unconfirmedBy: null,
    });
    await this.users.insert(user);
    const organization = await this.organizations.create(Actor.system('first start'), user.id, { name: 'Default' });
    await this.users.update(user, { defaultOrganizationId: organization.id });
    const tokens = await this.sessions.open(user);
    if (!tokens) throw new Error('the first administrator cannot sign in');
    return {
      userId: user.id,
      email: user.email,
      generatedPassword,
      organizationId: organization.id,
      token: tokens.access_token,
    };
  }
}
