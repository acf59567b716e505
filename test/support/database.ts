import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { askTestRun } from './test-run.js';

/** What a worker needs to make databases. */
export interface DatabaseServer {
  /** Signs in a role that may create databases and roles. */
  url: string;
  /** Name of the migrated database that others are cloned from. */
  template: string;
}

/** A private, migrated database. */
export interface TestDatabase {
  /** Signs in as its owner. */
  url: string;
  /** Drops it, and closes the remaining connections. */
  drop: () => Promise<void>;
}

/**
 * Clones a template; the first call of a test run starts the server.
 *
 * @param choose another template than the migrated one, which is empty
 */
export async function cloneDatabase(
  choose = ({ template }: DatabaseServer): string | Promise<string> => template,
): Promise<TestDatabase> {
  const server = await askTestRun<DatabaseServer>('database');
  const { url } = server;
  const template = await choose(server);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return {
    url: databaseUrl(url, name),
    drop: () => onServer(url, (client) => dropDatabase(client, name)),
  };
}

/** What is answered while an autovacuum worker, a process of the superuser, is at work in the database. */
const INSUFFICIENT_PRIVILEGE = '42501';
const DROP_ATTEMPTS = 40;

async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      return;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== INSUFFICIENT_PRIVILEGE || attempt === DROP_ATTEMPTS) throw error;
      await setTimeout(250);
    }
  }
}

/** The same server and user, another database. */
export function databaseUrl(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

export async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
