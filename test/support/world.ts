import type { NestExpressApplication } from '@nestjs/platform-express';
import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createApp } from '../../src/app.setup.js';
import { FirstStartService } from '../../src/auth/first-start.service.js';
import { Env } from '../../src/core/config/env.js';
import { BuiltServer } from './built-server.js';
import { type TestDatabase } from './database.js';
import { Person } from './person.js';
import { clonePlantedDatabase } from './planted-database.js';
import { PASSWORD, SETTINGS } from './settings.js';

/**
 * Which servers worlds have: the sources, on the thread of the tests, or, with BUILT_SERVER=1, what `npm run build` makes, in a process of
 * its own. Tests that reach into the server (`get`, `app`) are of the first kind.
 */
let isBuilt = process.env['BUILT_SERVER'] === '1';

/** Gives the worlds of this test file the server that is built. */
export function startBuiltWorlds(): void {
  const before = isBuilt;
  beforeAll(() => void (isBuilt = true));
  afterAll(() => void (isBuilt = before));
}

/** A whole server over a private database, reached over the wire, and the people who call it. */
export class World {
  private constructor(
    private readonly server: WorldServer,
    readonly baseUrl: string,
    /** The first administrator: owner of the organization Default. */
    readonly admin: Person,
    /** The id of the organization Default. */
    readonly organization: string,
    readonly stranger: Person,
    private readonly database: TestDatabase,
  ) {}

  /** @param reach where the server finds its database, given where it is */
  static async start(
    settings: Record<string, string> = {},
    reach: (url: string) => string | Promise<string> = (url) => url,
  ): Promise<World> {
    const database = await clonePlantedDatabase(SETTINGS);
    const url = await reach(database.url);
    return isBuilt
      ? World.startBuilt({ ...SETTINGS, ...settings }, url, database)
      : World.startInProcess({ ...SETTINGS, ...settings }, url, database);
  }

  private static async startInProcess(settings: Settings, url: string, database: TestDatabase): Promise<World> {
    const app = await createApp(Env.parse(settings), url);
    await app.listen(0, '127.0.0.1');
    const baseUrl = (await app.getUrl()).replace('[::1]', '127.0.0.1');
    const first = await app.get(FirstStartService).seed(() => Promise.resolve());
    if (!first) throw new Error('the cloned database was not empty');
    const admin = new Person(baseUrl, first.token, first.userId, first.email);
    const server = {
      app: () => app,
      sql: <T>(query: string, parameters: unknown[]) => app.get(DataSource).query<T[]>(query, parameters),
      stop: () => app.close(),
    };
    return new World(server, baseUrl, admin, first.organizationId, new Person(baseUrl, null), database);
  }

  private static async startBuilt(settings: Settings, url: string, database: TestDatabase): Promise<World> {
    const built = await BuiltServer.start(settings, url);
    const { baseUrl } = built;
    const { ADMIN_EMAIL: email = '', ADMIN_PASSWORD: password = '' } = settings;
    const admin = await built.signIn({ email, password });
    const { body } = await admin.get('/api/identity/orgs');
    const server = {
      app: () => {
        throw new Error(
          'this test reaches into the server, which is in a process of its own: it is the one that was built',
        );
      },
      sql: <T>(query: string, parameters: unknown[]) => built.sql<T>(query, parameters),
      stop: () => built.stop(),
    };
    const organization = body.organizations[0].id as string;
    return new World(server, baseUrl, admin, organization, new Person(baseUrl, null), database);
  }

  /** The server itself; only where it is on the thread of the tests. */
  get app(): NestExpressApplication {
    return this.server.app();
  }

  /** Another user whose account is confirmed, a member of an organization (Default unless said otherwise) with a role in it. */
  async person(role: 'owner' | 'admin' | 'member' = 'member', organization = this.organization): Promise<Person> {
    const email = `${randomUUID()}@example.org`;
    const added = await this.admin.post(`/api/identity/orgs/${organization}/users`, {
      email,
      role,
      password: PASSWORD,
    });
    if (added.status !== 201) throw new Error(`adding a user failed: ${JSON.stringify(added.body)}`);
    await this.sql('UPDATE app_user SET unconfirmed_by = NULL WHERE id = $1', [added.body.id]);
    return this.signIn(email, PASSWORD);
  }

  /** Has an admin invite someone who has an account, who accepts. */
  async join(person: Person, admin: Person & { organization: string }, role: 'admin' | 'member'): Promise<void> {
    const users = `/api/identity/orgs/${admin.organization}/users`;
    const { body } = await admin.post(users, { email: person.email, role });
    const { status } = await person.post(new URL(body.invitation_url as string).pathname);
    if (status !== 200) throw new Error(`accepting was answered ${status}`);
  }

  /** A user of an organization of their own, who has no part in Default. */
  async outsider(): Promise<Person & { organization: string }> {
    const organization = await this.admin.post('/api/identity/orgs', { name: `Other ${randomUUID()}` });
    const person = await this.person('owner', organization.body.id as string);
    await this.admin.delete(`/api/identity/orgs/${organization.body.id}/users/${this.admin.id}`);
    return Object.assign(person, { organization: organization.body.id as string });
  }

  async signIn(email: string, password: string): Promise<Person> {
    const { status, body } = await this.stranger.post('/api/auth/login', { email, password });
    if (status !== 200) throw new Error(`signing in failed: ${JSON.stringify(body)}`);
    const person = new Person(this.baseUrl, body.access_token as string, '', email);
    const profile = await person.get('/api/identity/users/profile');
    return new Person(this.baseUrl, person.token, profile.body.id as string, email);
  }

  get<T>(service: Type<T>): T {
    return this.app.get(service);
  }

  /** Asks the database directly, as the service's own role. */
  sql<T = Record<string, unknown>>(query: string, parameters: unknown[] = []): Promise<T[]> {
    return this.server.sql<T>(query, parameters);
  }

  async stop(): Promise<void> {
    try {
      await this.server.stop();
    } finally {
      await this.database.drop();
    }
  }
}

type Settings = Record<string, string>;

interface WorldServer {
  app: () => NestExpressApplication;
  sql: <T>(query: string, parameters: unknown[]) => Promise<T[]>;
  stop: () => Promise<void>;
}
