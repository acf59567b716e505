import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Env } from '../core/config/env.js';
import { KeyRotation } from '../core/crypto/key-rotation.js';
import { EnvKeyService } from '../core/crypto/key-service.js';
import type { SealedColumn } from '../core/crypto/sealed-column.js';
import { Vault } from '../core/crypto/vault.service.js';
import { AuditedRequests } from '../core/database/audited-request.js';
import { assertSchemaKnown } from '../core/database/migrate.js';
import { createDataSource } from '../core/database/data-source.js';
import { countOf } from '../core/errors/wording.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { entities } from '../migrations/entities.js';
import { migrations } from '../migrations/migrations.js';
import { Actor } from '../core/access/actor.js';
import { generateRequestId, runInRequestContext } from '../core/telemetry/request-context.js';
import { withDatabase } from './with-database.js';

const HELP = `Changes the keys that secrets in the database are sealed with, while servers run.

  armature-server keys:rotate                  wraps every data key with ENCRYPTION_KEY
  armature-server keys:rotate --data-keys      also gives every organization a new data key, seals every secret again with
                                        it, and deletes the data keys that nothing uses any more

In a checkout: npm run keys:rotate -- --data-keys

It reads the same settings as the server. Set ENCRYPTION_KEY to the new key and ENCRYPTION_PREVIOUS_KEYS to the old
ones, restart the servers with them, run this, and take the old keys away. It may be stopped and run again at any time.
A data key stays for an hour after another took its place: run --data-keys once more after that.
`;

/** Every column of sealed values. A data key is deleted only when no column of the database uses it, including columns missing here. */
const SEALED_COLUMNS: SealedColumn[] = [
  { table: 'credential', column: 'secret', key: ['id'], context: `'credential ' || id` },
  { table: 'connection', column: 'metadata_secrets', key: ['id'], context: `'connection ' || id` },
  {
    table: 'design_version',
    column: 'content',
    key: ['design_id', 'number'],
    context: `'design ' || design_id || ' ' || number || ' content'`,
  },
  {
    table: 'design_version',
    column: 'source',
    key: ['design_id', 'number'],
    context: `'design ' || design_id || ' ' || number || ' source'`,
  },
  { table: 'design', column: 'sealed_values', key: ['id'], context: `'design ' || id || ' values'` },
  {
    table: 'audit_key',
    column: 'private_key',
    key: ['id'],
    context: `CASE version WHEN 1 THEN 'audit key ' ELSE 'audit key ' || version || ' ' END || id`,
  },
  { table: 'deployment_plan', column: 'content', key: ['id'], context: `'plan ' || id` },
  { table: 'webhook', column: 'secrets', key: ['id'], context: `'webhook ' || id` },
  { table: 'filter', column: 'content', key: ['id'], context: `'filter ' || id || ' content'` },
  { table: 'filter', column: 'resource', key: ['id'], context: `'filter ' || id || ' resource'` },
  { table: 'performance_profile', column: 'content', key: ['id'], context: `'performance profile ' || id` },
  {
    table: 'idempotency_key',
    column: 'answer',
    key: ['caller', 'route', 'key'],
    context: `caller || ' ' || route || ' ' || key`,
  },
  {
    table: 'deployment_change',
    column: 'content',
    key: ['deployment_id', 'connection_id', 'number'],
    context: `'deployment ' || deployment_id || ' change ' || connection_id || ' ' || number`,
  },
];

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** The command `keys:rotate`: run after a change of ENCRYPTION_KEY. @param args command line arguments after the name */
export async function keysRotate(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { help: { type: 'boolean', short: 'h' }, 'data-keys': { type: 'boolean' } },
  });
  if (values.help) return void process.stdout.write(HELP);
  const actor = Actor.system('rotation of the keys by the operator');
  await runInRequestContext({ requestId: generateRequestId(), actor, origin: { via: 'command' } }, () =>
    withDatabase((env, url) => rotate(env, url, values['data-keys'] ?? false)),
  );
}

/** Connects as the owner of the tables, to whom row-level policies do not apply, because it processes the values of all organizations. */
async function rotate(env: Env, url: string, dataKeys: boolean): Promise<void> {
  const dataSource = await createDataSource({ url, entities, migrations, role: 'owner', poolSize: 2 }).initialize();
  try {
    await assertSchemaKnown(dataSource);
    const unit = new UnitOfWork(dataSource, new AuditedRequests(env));
    const keys = new EnvKeyService(env);
    const vault = new Vault(unit, keys);
    await vault.onModuleInit();
    const rotation = new KeyRotation(unit, keys, vault);
    printLine(
      `rewrapped ${countOf(await rotation.rewrapAll(), 'data key')}; all are wrapped with the key ${keys.currentKeyId}`,
    );
    if (dataKeys) await rotateDataKeys(rotation);
  } finally {
    await dataSource.destroy();
  }
}

async function rotateDataKeys(rotation: KeyRotation): Promise<void> {
  const made = await rotation.rotateDataKeys();
  printLine(
    made > 0
      ? `created ${countOf(made, 'new data key')}`
      : 'no data key was created: there are none, or an earlier rotation is being continued',
  );
  for (const column of SEALED_COLUMNS) {
    const { done, failed } = await rotation.reseal(column);
    printLine(`${column.table}.${column.column}: re-encrypted ${countOf(done, 'value')}`);
    for (const failure of failed) process.stderr.write(`not re-encrypted: ${failure}\n`);
    if (failed.length > 0) process.exitCode = 1;
  }
  const { deleted, waiting, until, usedIn } = await rotation.deleteUnused();
  printLine(`deleted ${countOf(deleted, 'unused data key')}`);
  if (usedIn.length > 0) printLine(`earlier data keys are still used in ${usedIn.join(', ')}`);
  if (waiting > 0)
    printLine(
      `earlier data keys that remain: ${waiting}; run this command again${until ? ` after ${until.toISOString()}` : ''}`,
    );
}
