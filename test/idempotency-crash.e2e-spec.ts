import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { type Answer, Person } from './support/person.js';
import { compiledProgram } from './support/programs.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

/** Longer than any wait of these tests. */
const JOB_LEASE_MS = 600_000;
/** A claim is over so long after its process has died, and a little more. */
const PATIENCE_MS = 60_000;
/** The advisory lock that answers wait for before they are kept. */
const KEEPING = 77;

let world: World;
let owner: pg.Client;
const children: ChildProcess[] = [];

beforeAll(async () => {
  world = await World.start();
  owner = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
  await owner.connect();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await owner.end();
  await world.stop();
});

/** Another server on the same database, which is killed. */
async function startServer(): Promise<{ child: ChildProcess; admin: Person }> {
  const program = await compiledProgram('test/server-replica.ts');
  const child = spawn(process.execPath, [program, world.get(DatabaseUrl).href, String(JOB_LEASE_MS)], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let url = '';
  createInterface(child.stdout).on('line', (line) => (url = /^ready at (.*)/.exec(line)?.[1] ?? url));
  await until(() => url !== '', PATIENCE_MS);
  return { child, admin: new Person(url, world.admin.token) };
}

const newCall = () => {
  const name = randomUUID();
  const body = { name, organization_id: world.organization };
  const options = { headers: { 'idempotency-key': randomUUID() } };
  return { name, post: (by: Person): Promise<Answer> => by.post('/api/environments', body, options) };
};
const count = async (name: string): Promise<number> =>
  (await world.sql('SELECT FROM environment WHERE name = $1', [name])).length;
const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};
/** Sends the call again until it is no longer said to run. */
const repeat = async (post: (by: Person) => Promise<Answer>): Promise<Answer> => {
  let answer: Answer | undefined;
  await until(async () => {
    answer = await post(world.admin);
    return answer.body.code !== 'IDEMPOTENCY_RUNNING';
  }, PATIENCE_MS);
  return answer as Answer;
};
const waits = (kind: string) =>
  until(async () => {
    const { rows } = await owner.query(
      'SELECT FROM pg_locks JOIN pg_database ON oid = database WHERE datname = current_database() AND NOT granted AND locktype = $1',
      [kind],
    );
    return rows.length > 0;
  });
/** Lets nobody make an environment until the work is done. */
const whileNoneIsMade = async (work: () => Promise<void>): Promise<void> => {
  await owner.query('BEGIN');
  await owner.query('LOCK TABLE environment IN SHARE ROW EXCLUSIVE MODE');
  await work();
  await owner.query('ROLLBACK');
};

describe('a call with an idempotency key, sent again to another server', () => {
  it('is made when its server was killed before anything was done', async () => {
    const { child, admin } = await startServer();
    const { name, post } = newCall();
    await whileNoneIsMade(async () => {
      const cut = post(admin).catch(() => null);
      await waits('relation');
      expect((await post(world.admin)).body.code).toBe('IDEMPOTENCY_RUNNING');
      await kill(child);
      await cut;
    });
    expect((await repeat(post)).status).toBe(201);
    expect((await post(world.admin)).headers.get('idempotency-replayed')).toBe('true');
    expect(await count(name)).toBe(1);
  }, 180_000);

  it('is not made again when its server was killed before the answer was kept', async () => {
    const { child, admin } = await startServer();
    await owner.query(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(${KEEPING}); RETURN new; END $$;
      CREATE TRIGGER wait_for_test BEFORE UPDATE OF answer ON idempotency_key FOR EACH ROW EXECUTE FUNCTION wait_for_test();
      SELECT pg_advisory_lock(${KEEPING})`);
    const { name, post } = newCall();
    const cut = post(admin).catch(() => null);
    await waits('advisory');
    await kill(child);
    await cut;
    await owner.query(`
      SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${KEEPING};
      SELECT pg_advisory_unlock(${KEEPING});
      DROP TRIGGER wait_for_test ON idempotency_key`);
    expect(await repeat(post)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_ANSWER_LOST' } });
    expect(await count(name)).toBe(1);
  }, 180_000);

  it('is made once when its server stood still and goes on later', async () => {
    const { child, admin } = await startServer();
    const { name, post } = newCall();
    let late: Promise<Answer> | undefined;
    await whileNoneIsMade(async () => {
      late = post(admin);
      await waits('relation');
      child.kill('SIGSTOP');
    });
    const { status, body } = await repeat(post);
    expect(status).toBe(201);
    child.kill('SIGCONT');
    expect(await late).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_RUNNING' } });
    expect(await count(name)).toBe(1);
    expect((await post(world.admin)).body.id).toBe(body.id);
    await kill(child);
  }, 180_000);
});
