import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/core/embedded-postgres/embedded-postgres.js';

/** A database server of this benchmark alone, set up as the product sets its own up. */
export interface BenchDatabase {
  url: string;
  /** Processor time of the whole server so far, in milliseconds; NaN where the system does not report it. */
  cpu: () => number;
  stop: () => Promise<void>;
}

/** Starts PostgreSQL in a temporary folder, which `stop` removes. */
export async function startDatabase(): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'armature-bench-'));
  chmodSync(folder, 0o711); // the account that the server runs under passes through it
  const { url, pid, stop } = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
  return {
    url,
    cpu: () => cpuOfFamily(pid),
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One connection for as long as the work takes: as the owner of the tables, unless its options say otherwise. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  options?: string,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Of a process, of its children that live, and of those that have ended (proc(5); a tick is 10 ms). */
function cpuOfFamily(pid: number): number {
  try {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const own = times(String(pid));
    const children = all.map(times).filter((each) => each?.parent === pid);
    const ticks = children.reduce((sum, each) => sum + (each?.own ?? 0), (own?.own ?? NaN) + (own?.ended ?? NaN));
    return ticks * 10;
  } catch {
    return NaN;
  }
}

function times(pid: string): { parent: number; own: number; ended: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return null;
  }
}
