import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Client } from 'pg';
import { newId } from '../../src/core/database/base.entity.js';
import { AuditEntry } from '../../src/events/audit/audit.entity.js';
import { hashEntry, saltText } from '../../src/events/audit/chain/entry-hash.js';
import { startDatabase, withClient } from '../support/database.js';
import { readMemory } from '../support/process-status.js';
import { load, table } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';

/** A chain of a million entries, or of as many as the first argument says: verified by the server, exported, and verified by the script. */
const PRODUCT = import.meta.resolve('../support/product.js');
const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const BATCH = 5_000;
/** Heap of the script, in megabytes: it holds one line at a time. */
const SCRIPT_HEAP = 32;

const COLUMNS = `id uuid, chain uuid, sequence bigint, created_at timestamptz, transaction bigint, action text, outcome text, count integer,
  actor_kind text, actor_id uuid, via text, request_id text, resource_type text, resource_id text, personal text, personal_salt text,
  personal_digest text, details text, details_salt text, details_digest text, previous_hash text, hash text`;
const NAMES = COLUMNS.replace(/\s+/g, ' ')
  .split(', ')
  .map((column) => column.split(' ')[0])
  .join(', ');

/** Goes on with the chain of an organization. */
async function fill(client: Client, chain: string, actorId: string): Promise<void> {
  const { rows } = await client.query<{ last: string; hash: string }>(
    'SELECT last, hash FROM audit_chain WHERE chain = $1',
    [chain],
  );
  let { last, hash } = rows[0] ?? { last: '0', hash: '0'.repeat(64) };
  for (let made = 0; made < ENTRIES; made += BATCH) {
    const batch = Array.from({ length: BATCH }, () => {
      const personal = saltText({ actor: 'admin@example.org', address: '203.0.113.7', user_agent: 'bench/1' });
      const details = saltText({
        before: { description: last },
        after: { description: 'changed' },
        operation: 'update',
      });
      const fields = {
        ...{ id: newId(), chain, sequence: String(BigInt(last) + 1n), createdAt: new Date(), transaction: last },
        ...{ action: 'environment.updated', outcome: 'allowed', reason: null, count: 1, actorKind: 'user', actorId },
        ...{ onBehalfOf: null, tokenId: null, via: 'rest', requestId: newId(), resourceType: 'environment' },
        ...{ resourceId: chain, personalDigest: personal.digest, detailsDigest: details.digest, previousHash: hash },
      };
      const entry = Object.assign(new AuditEntry(), fields as Partial<AuditEntry>);
      last = entry.sequence;
      hash = hashEntry(entry);
      return {
        ...{
          id: entry.id,
          chain,
          sequence: entry.sequence,
          created_at: entry.createdAt,
          transaction: entry.transaction,
        },
        ...{
          action: entry.action,
          outcome: entry.outcome,
          count: 1,
          actor_kind: 'user',
          actor_id: actorId,
          via: 'rest',
        },
        ...{ request_id: entry.requestId, resource_type: 'environment', resource_id: chain },
        ...{ personal: personal.text, personal_salt: personal.salt, personal_digest: personal.digest },
        ...{ details: details.text, details_salt: details.salt, details_digest: details.digest },
        ...{ previous_hash: entry.previousHash, hash },
      };
    });
    await client.query(
      `INSERT INTO audit_entry (${NAMES}) SELECT ${NAMES} FROM json_to_recordset($1) AS t (${COLUMNS})`,
      [JSON.stringify(batch)],
    );
  }
  await client.query(
    'INSERT INTO audit_chain (chain, last, hash) VALUES ($1, $2, $3) ON CONFLICT (chain) DO UPDATE SET last = $2, hash = $3',
    [chain, last, hash],
  );
  await client.query('VACUUM ANALYZE audit_entry');
}

const database = await startDatabase();
const folder = mkdtempSync(join(tmpdir(), 'armature-bench-audit-'));
try {
  const server = await startServer(PRODUCT, production(database.url));
  const headers = { authorization: `Bearer ${await signIn(server.url)}` };
  const { id: organization, user } = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ id: string; user: string }>(
      'SELECT organization_id AS id, user_id AS user FROM organization_member LIMIT 1',
    );
    const [found] = rows as [{ id: string; user: string }];
    await fill(client, found.id, found.user);
    return found;
  });
  const audit = `${server.url}/api/identity/orgs/${organization}/audit`;
  const rows: string[][] = [];
  const measure = async (name: string, work: () => Promise<string>): Promise<void> => {
    const begun = performance.now();
    const peak = await work();
    const seconds = (performance.now() - begun) / 1_000;
    rows.push([name, seconds.toFixed(1), Math.round(ENTRIES / seconds).toLocaleString('en'), peak]);
  };
  rows.push(['server at rest', '', '', String(Math.round(readMemory(server.pid, 'VmHWM')))]);
  await measure('verify', async () => {
    const accepted = (await (await fetch(`${audit}/verify?async=true`, { headers })).json()) as { id: string };
    for (;;) {
      const response = await fetch(`${server.url}/api/operations/${accepted.id}`, { headers });
      const { status, result } = (await response.json()) as { status: string; result: unknown };
      if (status === 'failed') throw new Error('the verification failed');
      if (status === 'succeeded') {
        console.log(JSON.stringify(result));
        return String(Math.round(readMemory(server.pid, 'VmHWM')));
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  });
  const file = join(folder, 'audit.ndjson');
  await measure('export', async () => {
    const { body } = await fetch(`${audit}/export`, { headers });
    await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(file));
    return String(Math.round(readMemory(server.pid, 'VmHWM')));
  });
  console.log(`${(statSync(file).size / 1e6).toFixed(0)} MB; entries of the user ${user}`);
  await measure('verify-audit.mjs', async () => {
    const child = spawn(process.execPath, [`--max-old-space-size=${SCRIPT_HEAP}`, 'scripts/verify-audit.mjs', file], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    let peak = '';
    const look = setInterval(() => (peak = String(Math.round(readMemory(child.pid ?? 0, 'VmHWM')))), 500);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearInterval(look);
    if (code !== 0) throw new Error(`the script ended with ${code}`);
    return peak;
  });
  console.log(`\n${ENTRIES.toLocaleString('en')} entries; load average ${load()}\n`);
  console.log(table(['', 'seconds', 'entries/s', 'peak memory MB'], rows));
  await server.stop();
} finally {
  await database.stop();
  rmSync(folder, { recursive: true });
}
