import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { enqueueAccountMail } from '../auth/account-emails.service.js';
import { AccountSignInsService } from '../auth/passwords/account-sign-ins.service.js';
import { PasswordResetsStore } from '../auth/passwords/password-resets.store.js';
import { PasswordsService } from '../auth/passwords/passwords.service.js';
import { PersonalTokensStore } from '../auth/personal-tokens/personal-tokens.store.js';
import { SessionsStore } from '../auth/sessions/sessions.store.js';
import { RevocationsService } from '../auth/tokens/revocations.service.js';
import { Actor } from '../core/access/actor.js';
import { findPasswordFault } from '../core/crypto/password-rule.js';
import { hashPassword } from '../core/crypto/password-hashing.js';
import type { Env } from '../core/config/env.js';
import { AuditedRequests } from '../core/database/audited-request.js';
import { assertSchemaKnown } from '../core/database/migrate.js';
import { createDataSource } from '../core/database/data-source.js';
import { DatabaseUrl } from '../core/database/database-url.js';
import { PostgresNotifications } from '../core/database/postgres-notifications.js';
import { bindRowSecurityUser } from '../core/database/row-security.js';
import { generateRequestId, runInRequestContext } from '../core/telemetry/request-context.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import { FeedStore } from '../events/feed.store.js';
import { EventRecorder } from '../events/event-recorder.listeners.js';
import type { Job, NewJob } from '../jobs/job.js';
import type { JobsService } from '../jobs/jobs.service.js';
import { JobsStore } from '../jobs/jobs.store.js';
import { UserPasswordChanged, UserUnlinked } from '../organizations/users/user.events.js';
import { UsersStore } from '../organizations/users/users.store.js';
import { entities } from '../migrations/entities.js';
import { migrations } from '../migrations/migrations.js';
import { withDatabase } from './with-database.js';

const HELP = `Sets a new password for an account, ends all its sessions, and unlinks it from the OpenID Connect issuer.

  armature-server admin:reset <e-mail address>                     generates a password and prints it once
  armature-server admin:reset <e-mail address> --password-stdin    takes the first line of standard input

In a checkout: npm run admin:reset -- <e-mail address>

It reads the same settings as the server (DATABASE_URL, else the embedded database in DATA_DIR), which may be
running: its replicas end the sessions at once. Personal access tokens stay; their owner deletes them. An account whose
password an admin chose is confirmed by it, and its tokens end: hand the password to the owner of the address only.
An account that is deactivated stays so. With SMTP_URL its owner gets an email, which the running server sends, or the
next one that starts.
`;

/** The command `admin:reset`: sets a new password for an account. @param args command line arguments after the name */
export async function adminReset(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, 'password-stdin': { type: 'boolean' } },
  });
  const email = positionals[0];
  if (values.help || !email || positionals.length > 1) {
    process.stdout.write(HELP);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const given = values['password-stdin'] ? ((await text(process.stdin)).split(/\r?\n/)[0] ?? '') : null;
  const fault = given === null ? undefined : findPasswordFault(given, email);
  if (fault) throw new Error(`The password ${fault}.`);
  const password = given ?? randomBytes(12).toString('base64url');
  const deactivated = await withDatabase((env, url) => reset(env, url, email, password));
  process.stdout.write(`The account ${email} has a new password${given === null ? `: ${password}` : ''}\n`);
  if (deactivated) process.stdout.write('The account is deactivated: an installation administrator can change that.\n');
}

/** @returns whether the account is deactivated */
async function reset(env: Env, url: string, email: string, password: string): Promise<boolean> {
  const dataSource = await createDataSource({ url, entities, migrations, role: 'service', poolSize: 2 }).initialize();
  bindRowSecurityUser(dataSource);
  try {
    await assertSchemaKnown(dataSource);
    const unit = new UnitOfWork(dataSource, new AuditedRequests(env));
    const users = new UsersStore(unit);
    const events = new EventBus(unit);
    new EventRecorder(events, unit, new FeedStore(unit)).onModuleInit();
    // The server sends the emails.
    const store = new JobsStore(unit);
    const jobs: Pick<JobsService, 'enqueue'> = {
      enqueue: <P extends object>(by: Actor, job: NewJob<P>) => store.insert(by, job) as Promise<Job<P>>,
    };
    events.within(UserPasswordChanged, (event) => enqueueAccountMail(env, jobs, event));
    events.within(UserUnlinked, (event) => enqueueAccountMail(env, jobs, event));
    const revocations = new RevocationsService(new PostgresNotifications(new DatabaseUrl(url), dataSource), unit);
    const passwords = new PasswordsService(
      users,
      new PasswordResetsStore(unit),
      new AccountSignInsService(new SessionsStore(unit), new PersonalTokensStore(unit), revocations),
      unit,
      events,
    );
    const user = await users.findByEmail(email);
    if (!user) throw new Error(`There is no account with the address ${email}.`);
    const actor = Actor.system('password reset by the operator');
    const passwordHash = await hashPassword(password, user.email);
    await runInRequestContext({ requestId: generateRequestId(), actor, origin: { via: 'command' } }, () =>
      passwords.replaceByOwner(actor, user, passwordHash),
    );
    return user.deactivatedAt !== null;
  } finally {
    await dataSource.destroy();
  }
}
