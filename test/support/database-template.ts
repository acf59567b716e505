import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUrl, onServer } from './database.js';

const SOURCES = join(import.meta.dirname, '../../src');
/** Of the advisory lock under which templates are made. */
const LOCK = 7_310_003;

/** A database that others are cloned from. */
export interface Template {
  name: string;
  /** Files and folders below `src` that decide what it holds. */
  madeOf: string[];
  /** Another template that it begins with. */
  from?: string;
  fill: (url: string) => Promise<unknown>;
}

/**
 * Makes a template unless the server has it. It is named after what made it: a server that outlives the run keeps it for the next, and a
 * change makes another one.
 *
 * @returns its name
 */
export async function makeTemplate(url: string, { name, madeOf, from, fill }: Template): Promise<string> {
  const template = `${name}_${fingerprint(madeOf, from)}`;
  await onServer(url, async (client) => {
    const isThere = async () =>
      (await client.query('SELECT FROM pg_database WHERE datname = $1', [template])).rowCount === 1;
    if (await isThere()) return;
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    if (await isThere()) return;
    const draft = `${template}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${draft}${from ? ` TEMPLATE ${from}` : ''}`);
    await fill(databaseUrl(url, draft));
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  });
  return template;
}

function fingerprint(paths: string[], from = ''): string {
  const hash = createHash('sha256').update(from);
  for (const path of paths.map((each) => join(SOURCES, each)).flatMap(listFiles)) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 12);
}

function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => listFiles(join(path, name)));
}
