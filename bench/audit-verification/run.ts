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

/**
 * A chain of a million entries, or of as many as the first argument says: verified by the server, exported, to a slow reader too, verified
 * by the script, and verified again after entries were deleted, updated and inserted with the login of the database's owner.
 */
const PRODUCT = import.meta.resolve('../support/product.js');
const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const BATCH = 5_000;
/** Heap of the script, in megabytes: it holds one line at a time. */
const SCRIPT_HEAP = 32;
/** Of a reader who takes its time, and for how long it reads. */
const SLOW_BYTES_A_SECOND = 2_000_000;
const SLOW_SECONDS = 30;

const COLUMNS = `id uuid, chain uuid, sequence bigint, created_at timestamptz, transaction bigint, action text, outcome text, count integer,
  actor_kind text, actor_id uuid, via text, request_id text, resource_type text, resource_id text, personal text, personal_salt text,
  personal_digest text, details text, details_salt text, details_digest text, previous_hash text, hash text`;
const NAMES = COLUMNS.replace(/\s+/g, ' ')
  .split(', ')
  .map((column) => column.split(' ')[0])
  .join(', ');

interface Verification {
  valid: boolean;
  first_invalid?: { sequence: string; detail: string };
}

/** Reads some seconds of an answer, then hangs up. @returns the most that `look` found meanwhile */
async function readSlowly(url: string, headers: Record<string, string>, look: () => number): Promise<number> {
  const { body } = await fetch(url, { headers });
  const begun = performance.now();
  let bytes = 0;
  let most = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    most = Math.max(most, look());
    const due = begun + (bytes / SLOW_BYTES_A_SECOND) * 1_000;
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    if (performance.now() - begun > SLOW_SECONDS * 1_000) break;
  }
  return most;
}

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

/** How entries are tampered with, and where in the chain: from its end, so that each is the first that is found. */
const TAMPERED: [name: string, at: number, statement: string][] = [
  ['deleted', 0.9, 'DELETE FROM audit_entry WHERE chain = $1 AND sequence = $2'],
  ['updated', 0.6, `UPDATE audit_entry SET action = 'environment.created' WHERE chain = $1 AND sequence = $2`],
  [
    'inserted',
    0.3,
    `INSERT INTO audit_entry (${NAMES}) SELECT ${NAMES.replace(/\bid\b/, 'gen_random_uuid()').replace('sequence', 'sequence + 1')}
       FROM audit_entry WHERE chain = $1 AND sequence = $2`,
  ],
];

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
  /** @param work answers the peak of the memory, and what was found */
  const measure = async (name: string, entries: number, work: () => Promise<[string, string?]>): Promise<void> => {
    const begun = performance.now();
    const [peak, found = ''] = await work();
    const seconds = (performance.now() - begun) / 1_000;
    rows.push([name, seconds.toFixed(1), Math.round(entries / seconds).toLocaleString('en'), peak, found]);
  };
  const readPeak = (): string => String(Math.round(readMemory(server.pid, 'VmHWM')));
  rows.push(['server at rest', '', '', readPeak(), '']);
  const verify = async (): Promise<Verification> => {
    const accepted = (await (await fetch(`${audit}/verify?async=true`, { headers })).json()) as { id: string };
    for (;;) {
      const response = await fetch(`${server.url}/api/operations/${accepted.id}`, { headers });
      const { status, result } = (await response.json()) as { status: string; result: Verification };
      if (status === 'failed') throw new Error('the verification failed');
      if (status === 'succeeded') return result;
      await new Promise((done) => setTimeout(done, 200));
    }
  };
  await measure('verify', ENTRIES, async () => {
    const result = await verify();
    if (!result.valid) throw new Error(`the chain is not valid: ${JSON.stringify(result)}`);
    return [readPeak()];
  });
  const file = join(folder, 'audit.ndjson');
  await measure('export', ENTRIES, async () => {
    const { body } = await fetch(`${audit}/export`, { headers });
    await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(file));
    return [readPeak()];
  });
  const before = readMemory(server.pid, 'VmRSS');
  const slow = await readSlowly(`${audit}/export`, headers, () => readMemory(server.pid, 'VmRSS') - before);
  rows.push(['export to a slow reader', String(SLOW_SECONDS), '', `${Math.round(slow)} more`, '']);
  console.log(`${(statSync(file).size / 1e6).toFixed(0)} MB; entries of the user ${user}`);
  await measure('verify-audit.mjs', ENTRIES, async () => {
    const child = spawn(process.execPath, [`--max-old-space-size=${SCRIPT_HEAP}`, 'scripts/verify-audit.mjs', file], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    let peak = '';
    const look = setInterval(() => (peak = String(Math.round(readMemory(child.pid ?? 0, 'VmHWM')))), 500);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearInterval(look);
    if (code !== 0) throw new Error(`the script ended with ${code}`);
    return [peak];
  });
  await withClient(database.url, async (client) => {
    // Who owns the tables is not kept from writing a number twice.
    await client.query(
      `DROP INDEX audit_entry_sequence; CREATE INDEX audit_entry_sequence ON audit_entry (chain, sequence)`,
    );
  });
  for (const [name, at, statement] of TAMPERED) {
    const sequence = Math.floor(ENTRIES * at);
    await withClient(database.url, async (client) => {
      await client.query(statement, [organization, sequence]);
    });
    await measure(`${name} at ${sequence.toLocaleString('en')}`, sequence, async () => {
      const { valid, first_invalid } = await verify();
      if (valid || !first_invalid) throw new Error(`an entry that was ${name} was not found`);
      return [readPeak(), `${Number(first_invalid.sequence).toLocaleString('en')}: ${first_invalid.detail}`];
    });
  }
  console.log(`\n${ENTRIES.toLocaleString('en')} entries; load average ${load()}\n`);
  console.log(table(['', 'seconds', 'entries/s', 'peak memory MB', 'found at'], rows));
  await server.stop();
} finally {
  await database.stop();
  rmSync(folder, { recursive: true });
}
