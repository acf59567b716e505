import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from './data-source.js';

/** Where the scripts are, in the sources and in what is built. */
const FOLDER = new URL('../../database/sql/', import.meta.url);

/**
 * In the order in which they are applied: views call functions, policies both, and triggers functions. Scripts of one kind are applied by
 * name; none of them needs another of its kind.
 */
const KINDS = ['functions', 'views', 'policies', 'triggers'] as const;

/** A file of SQL that is applied as a whole whenever it has changed. */
export interface SchemaScript {
  /** Its path below `src/database/sql`. */
  name: string;
  kind: (typeof KINDS)[number];
  text: string;
  digest: string;
}

/** Functions, views, policies and triggers, in the order in which they are applied. */
export function readScripts(): SchemaScript[] {
  return KINDS.flatMap((kind) =>
    readdirSync(new URL(`${kind}/`, FOLDER))
      .sort()
      .map((file) => {
        const text = readFileSync(fileURLToPath(new URL(`${kind}/${file}`, FOLDER)), 'utf8');
        return { name: `${kind}/${file}`, kind, text, digest: digestOf(text) };
      }),
  );
}

/** One digest of all scripts, which the last migration states. */
export const digestScripts = (): string =>
  digestOf(
    readScripts()
      .map(({ name, digest }) => `${name} ${digest}\n`)
      .join(''),
  );

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The scripts that have changed since they were applied to this database. */
export async function findChangedScripts(runner: QueryRunner): Promise<SchemaScript[]> {
  const applied = await readAppliedDigests(runner);
  return readScripts().filter(({ name, digest }) => applied.get(name) !== digest);
}

/** Applies scripts within the transaction of the caller. */
export async function applyScripts(runner: QueryRunner, scripts: SchemaScript[]): Promise<void> {
  for (const script of scripts) {
    await dropReplaced(runner, script);
    await runner.query(script.text);
    await recordDigest(runner, script.name, script.digest);
  }
}

/** A file of policies or triggers has all those of its table, so that one that left the file leaves the table. */
const REPLACED: Partial<Record<SchemaScript['kind'], string>> = {
  policies: `SELECT format('DROP POLICY %I ON %s', polname, polrelid::regclass) AS statement
               FROM pg_policy WHERE polrelid = to_regclass($1)`,
  // Those of `audit_attach()` are not in files.
  triggers: `SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS statement
               FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
              WHERE tgrelid = to_regclass($1) AND NOT tgisinternal AND NOT starts_with(proname, 'audit_of_')`,
};

async function dropReplaced(runner: QueryRunner, { name, kind }: SchemaScript): Promise<void> {
  const query = REPLACED[kind];
  if (!query) return;
  const found = (await runner.query(query, [basename(name, '.sql')])) as { statement: string }[];
  for (const { statement } of found) await runner.query(statement);
}

/** The digest of what was applied last, by name. */
export async function readAppliedDigests(runner: QueryRunner): Promise<Map<string, string>> {
  const [table] = (await runner.query(`SELECT to_regclass('applied_script') IS NOT NULL AS exists`)) as [
    { exists: boolean },
  ];
  if (!table.exists) return new Map();
  const rows = (await runner.query('SELECT name, digest FROM applied_script')) as { name: string; digest: string }[];
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

export async function recordDigest(runner: QueryRunner, name: string, digest: string): Promise<void> {
  await runner.query(
    `INSERT INTO applied_script (name, digest) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, applied_at = now()`,
    [name, digest],
  );
}

/** As the table of migrations, it exists before anything is applied. */
export async function createScriptTable(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE IF NOT EXISTS applied_script (
      name text PRIMARY KEY,
      digest text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    );
    REVOKE INSERT, UPDATE, DELETE ON applied_script FROM ${SERVICE_ROLE};`);
}
