import type { NestExpressApplication } from '@nestjs/platform-express';
import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createApp } from '../../src/app.setup.js';
import { FirstStartService } from '../../src/auth/first-start.service.js';
import { Env } from '../../src/core/config/env.js';
import { type TestDatabase } from './database.js';
import { Person } from './person.js';
import { clonePlantedDatabase } from './planted-database.js';

export const PASSWORD = 'correct horse battery';

/** A whole server over a private database, reached over the wire, and the people who call it. */
export class World {
  private constructor(
    readonly app: NestExpressApplication,
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
    const app = await createApp(Env.parse({ ...SETTINGS, ...settings }), await reach(database.url));
    await app.listen(0, '127.0.0.1');
    const baseUrl = (await app.getUrl()).replace('[::1]', '127.0.0.1');
    const first = await app.get(FirstStartService).seed(() => Promise.resolve());
    if (!first) throw new Error('the cloned database was not empty');
    const admin = new Person(baseUrl, first.token, first.userId, first.email);
    return new World(app, baseUrl, admin, first.organizationId, new Person(baseUrl, null), database);
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
    return this.app.get(DataSource).query<T[]>(query, parameters);
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.database.drop();
  }
}

/** Settings of every server under test. */
export const SETTINGS = {
  NODE_ENV: 'test',
  LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
  LOG_FORMAT: 'json',
  RATE_LIMIT: 'off',
  JWT_SECRET: 'a secret for tests that is long enough',
  ENCRYPTION_KEY: '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
  ADMIN_EMAIL: 'admin@example.org',
  ADMIN_PASSWORD: PASSWORD,
  DATABASE_POOL: '5',
  // A watch of the cluster that tests share would read all that they do there.
  CLUSTER_WATCH: 'off',
};
