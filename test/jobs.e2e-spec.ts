import { type INestApplication, Logger } from '@nestjs/common';
import { once } from 'node:events';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { Conflict } from '../src/core/errors/app-error.js';
import { JobAborted } from '../src/jobs/job-aborted.js';
import type { FinishedJob } from '../src/jobs/job.js';
import { JobsService } from '../src/jobs/jobs.service.js';
import { LeasesStore } from '../src/jobs/leases.store.js';
import { enqueue, gate, startReplica, until } from './jobs-replica.js';
import { inOwnerTransaction } from './support/owner-transaction.js';
import { World } from './support/world.js';

let world: World;
let replica: INestApplication;
let jobs: JobsService;
let others: JobsService;

beforeAll(async () => {
  world = await World.start();
  replica = await startReplica(world.get(DatabaseUrl).href, { heartbeatMs: 100 });
  jobs = world.get(JobsService);
  others = replica.get(JobsService);
});
afterAll(async () => {
  await replica.close();
  await world.stop();
});

const finished = (id: string): Promise<FinishedJob | null> => jobs.waitUntilFinished(id, { timeoutMs: 20_000 });
const rowOf = async (id: string) => (await world.sql('SELECT * FROM job WHERE id = $1', [id]))[0] ?? {};

describe('a job', () => {
  it('runs once its transaction has committed, and leaves its result', async () => {
    const seen: unknown[] = [];
    jobs.registerHandler<{ n: number }>('double', {
      concurrency: 2,
      handle: ({ payload, requestedBy }, { actor }) => {
        seen.push({ requestedBy, actor: actor.name });
        return Promise.resolve({ twice: payload.n * 2, odd: 'a\0b\ud800' });
      },
    });
    const unit = world.get(UnitOfWork);
    const id = await unit.run(async () => {
      const job = await enqueue(jobs, 'double', { payload: { n: 21 } });
      await expect(jobs.waitUntilFinished(job.id, { timeoutMs: 1 })).rejects.toThrow('transaction');
      expect(seen).toEqual([]);
      return job.id;
    });
    expect(await finished(id)).toMatchObject({
      status: 'succeeded',
      result: { twice: 42, odd: 'a\uFFFDb\uFFFD' },
      error: null,
      attempt: 1,
    });
    expect(seen).toEqual([{ requestedBy: null, actor: 'job double' }]);
    const undone = unit.run(async () => {
      await enqueue(jobs, 'double', { id: '01900000-0000-7000-8000-000000000001' });
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(await rowOf('01900000-0000-7000-8000-000000000001')).toEqual({});
  });

  it('fails with what was thrown when that has a name, and with nothing but its id when not', async () => {
    jobs.registerHandler<{ named: boolean }>('fail', {
      concurrency: 1,
      handle: ({ payload }) => {
        if (payload.named) return Promise.reject(new Conflict('IN_USE', 'it is in use', { remedy: 'Wait.' }));
        throw new Error('secret at 10.0.0.1');
      },
    });
    const named = await finished((await enqueue(jobs, 'fail', { payload: { named: true } })).id);
    expect(named).toMatchObject({ status: 'failed', error: { code: 'IN_USE', status: 409, detail: 'it is in use' } });
    const other = await finished((await enqueue(jobs, 'fail', { payload: { named: false } })).id);
    expect(other).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR', request_id: other?.id } });
    expect(JSON.stringify(other)).not.toContain('secret');
  });

  it('counts and logs a failure once, with its queue and its reason', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    jobs.registerHandler('refused', {
      concurrency: 1,
      handle: () => Promise.reject(new Conflict('IN_USE', 'it is in use', { remedy: 'Wait.' })),
    });
    const { id } = await enqueue(jobs, 'refused', { mostAttempts: 2 });
    await finished(id);
    const logged = warn.mock.calls.filter(([facts]) => (facts as { job?: string }).job === id);
    warn.mockRestore();
    expect(logged).toEqual([
      [{ job: id, queue: 'refused', attempt: 1, code: 'IN_USE' }, 'the job will be retried: it is in use'],
      [{ job: id, queue: 'refused', attempt: 2, code: 'IN_USE' }, 'job failed: it is in use'],
    ]);
    const { body } = await world.stranger.get('/metrics');
    expect(body).toMatch(/armature_jobs_total\{queue="refused",outcome="failed"\} 1\n/);
    expect(body).not.toMatch(/armature_jobs_total\{queue="refused",outcome="succeeded"\}/);
  });

  it('is cancelled when its handler says so, though nobody asked for that', async () => {
    jobs.registerHandler('stops', { concurrency: 1, handle: () => Promise.reject(new JobAborted('cancelled')) });
    expect(await finished((await enqueue(jobs, 'stops')).id)).toMatchObject({ status: 'cancelled', error: null });
  });

  it('is done once more before all others of its serial key, when its listener asks for that', async () => {
    const done: string[] = [];
    const first = gate();
    jobs.registerHandler<{ name: string }>('repeated', {
      concurrency: 2,
      handle: async ({ payload, attempt }) => {
        await first.opened;
        done.push(payload.name);
        if (done.length === 1) throw new Conflict('NOT_YET', `attempt ${attempt} is not enough`, { remedy: 'Wait.' });
      },
      onEnded: async (job) => {
        if (job.status === 'failed') await jobs.enqueueAgain(job);
      },
    });
    const fields = (name: string) => ({ serialKey: 'repeated', payload: { name } });
    await enqueue(jobs, 'repeated', fields('first'));
    const last = await enqueue(jobs, 'repeated', fields('second'));
    first.open();
    expect(await finished(last.id)).toMatchObject({ status: 'succeeded' });
    expect(done).toEqual(['first', 'first', 'second']);
  });

  it('writes nothing in a unit of work once another worker has taken it over', async () => {
    const unit = world.get(UnitOfWork);
    let refusal: unknown;
    jobs.registerHandler('taken', {
      concurrency: 1,
      handle: async ({ id, attempt }, { assertLeased }) => {
        if (attempt > 1) return;
        await unit.run(assertLeased);
        await world.sql(`UPDATE job SET attempt = 7, worker = gen_random_uuid(), lease_until = now() WHERE id = $1`, [
          id,
        ]);
        await unit.run(assertLeased).catch((error: unknown) => (refusal = error));
      },
    });
    expect(await finished((await enqueue(jobs, 'taken')).id)).toMatchObject({ status: 'succeeded', attempt: 8 });
    expect(refusal).toMatchObject({ reason: 'lease lost' });
  });

  it('is tried again as often as configured', async () => {
    const failures: number[] = [];
    jobs.registerHandler('flaky', {
      concurrency: 1,
      handle: ({ attempt }) => (attempt < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve({ attempt })),
      retryDelayMs: (count) => failures.push(count),
    });
    const won = await finished((await enqueue(jobs, 'flaky', { mostAttempts: 3 })).id);
    expect(won).toMatchObject({ status: 'succeeded', result: { attempt: 3 }, failures: 2, error: null });
    expect(failures).toEqual([1, 2]);
    const lost = await finished((await enqueue(jobs, 'flaky', { mostAttempts: 2 })).id);
    expect(lost).toMatchObject({ status: 'failed', failures: 1, attempt: 2 });
  });

  it('does not run before its time', async () => {
    jobs.registerHandler('later', { concurrency: 1, handle: () => Promise.resolve({ at: Date.now() }) });
    const runAt = new Date(Date.now() + 1_500);
    const job = await finished((await enqueue(jobs, 'later', { runAt })).id);
    expect((job?.result as { at: number }).at).toBeGreaterThanOrEqual(runAt.getTime());
  });

  it('reports its progress', async () => {
    const middle = gate();
    jobs.registerHandler('steps', {
      concurrency: 1,
      handle: async (_, { reportProgress: progress }) => {
        for (let step = 1; step <= 50; step++) progress({ step });
        await middle.opened;
        progress({ step: 'last' });
      },
    });
    const { id } = await enqueue(jobs, 'steps');
    await until(async () => JSON.stringify((await rowOf(id))['progress']) === '{"step":50}');
    middle.open();
    expect(await finished(id)).toMatchObject({ progress: { step: 'last' }, result: null });
  });

  it('notifies its queue of the end in the transaction that writes it', async () => {
    const heard: string[] = [];
    let refuse = true;
    jobs.registerHandler('heard', {
      concurrency: 1,
      handle: () => Promise.resolve({ done: true }),
      onEnded: async (job) => {
        expect((await world.sql('SELECT status FROM job WHERE id = $1', [job.id]))[0]).toEqual({ status: 'running' });
        heard.push(job.status);
        if (refuse) {
          refuse = false;
          throw new Error('try again');
        }
      },
    });
    const job = await finished((await enqueue(jobs, 'heard')).id);
    expect(job).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(heard).toEqual(['succeeded', 'succeeded']);
  });
});

describe('jobs of one organization', () => {
  it('leave room for the first of another, however many of them run and wait', async () => {
    const begun: (string | null)[] = [];
    const ends = gate();
    jobs.registerHandler('shared', {
      concurrency: 1,
      reserve: 1,
      handle: ({ organizationId }) => {
        begun.push(organizationId);
        return ends.opened;
      },
    });
    const { organization: other } = await world.outsider();
    const first = [];
    for (let n = 0; n < 3; n++) first.push(await enqueue(jobs, 'shared', { organizationId: world.organization }));
    await until(() => begun.length === 1);
    const second = [];
    for (let n = 0; n < 2; n++) second.push(await enqueue(jobs, 'shared', { organizationId: other }));
    await until(() => begun.length === 2);
    expect(begun).toEqual([world.organization, other]);
    ends.open();
    await Promise.all([...first, ...second].map(({ id }) => finished(id)));
    expect(begun).toHaveLength(5);
  });
});

describe('jobs of one serial key', () => {
  it('run one at a time over all replicas, those first that were enqueued first', async () => {
    const running = new Set<string>();
    const begun: string[] = [];
    const overlaps: string[][] = [];
    for (const each of [jobs, others])
      each.registerHandler('serial', {
        concurrency: 10,
        handle: async ({ id }) => {
          running.add(id);
          begun.push(id);
          if (running.size > 1) overlaps.push([...running]);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running.delete(id);
        },
      });
    const callers = Array.from({ length: 20 }, async (_, caller) => {
      const ids: string[] = [];
      const from = caller % 2 === 0 ? jobs : others;
      for (let n = 0; n < 3; n++) ids.push((await enqueue(from, 'serial', { serialKey: 'one' })).id);
      return ids;
    });
    const chains = await Promise.all(callers);
    await Promise.all(chains.flat().map(finished));
    expect(overlaps).toEqual([]);
    expect(begun).toHaveLength(60);
    for (const chain of chains) expect(begun.filter((id) => chain.includes(id))).toEqual(chain);
  });

  it('wait for the one before, also while that waits for another attempt', async () => {
    const order: unknown[] = [];
    jobs.registerHandler<{ name: string }>('serial.retry', {
      concurrency: 5,
      handle: ({ payload, attempt }) => {
        order.push([payload.name, attempt]);
        return payload.name === 'first' && attempt === 1 ? Promise.reject(new Error('again')) : Promise.resolve();
      },
      retryDelayMs: () => 300,
    });
    await enqueue(jobs, 'serial.retry', { serialKey: 'two', payload: { name: 'first' }, mostAttempts: 2 });
    const second = await enqueue(jobs, 'serial.retry', { serialKey: 'two', payload: { name: 'second' } });
    await finished(second.id);
    expect(order).toEqual([
      ['first', 1],
      ['first', 2],
      ['second', 1],
    ]);
  });

  it('do not wait for one that only waits, which has no place in its queue, until it has to run again', async () => {
    const { open, opened } = gate();
    jobs.registerHandler<{ name: string }>('serial.turn', {
      concurrency: 1,
      retryDelayMs: () => 3_600_000,
      handle: async ({ payload }, { endTurn }) => {
        if (payload.name === 'second') return;
        await endTurn();
        await opened;
        throw new Error('again');
      },
    });
    const payload = { name: 'first' };
    const first = await enqueue(jobs, 'serial.turn', { serialKey: 'three', payload, mostAttempts: 2 });
    const second = await enqueue(jobs, 'serial.turn', { serialKey: 'three', payload: { name: 'second' } });
    await finished(second.id);
    expect(await rowOf(first.id)).toMatchObject({ status: 'running', serial_key: null });
    open();
    await until(async () => (await rowOf(first.id))['status'] === 'queued');
    expect(await rowOf(first.id)).toMatchObject({ failures: 1, serial_key: 'three' });
    await jobs.cancel(first.id);
  });
});

describe('cancelling', () => {
  it('ends at once what waits, and its queue hears of it', async () => {
    const heard: string[] = [];
    jobs.registerHandler('waits', {
      concurrency: 1,
      handle: () => Promise.resolve(),
      onEnded: ({ status }) => Promise.resolve(void heard.push(status)),
    });
    const { id } = await enqueue(jobs, 'waits', { runAt: new Date(Date.now() + 3_600_000) });
    expect(await others.cancel(id)).toMatchObject({ status: 'cancelled' });
    expect(await jobs.cancel(id)).toBeNull();
    const { id: next } = await enqueue(jobs, 'waits', { runAt: new Date(Date.now() + 3_600_000) });
    expect(await jobs.cancel(next)).toMatchObject({ status: 'cancelled' });
    expect(heard).toEqual(['cancelled']);
  });

  it('aborts what runs, on whichever replica it does', async () => {
    const reasons: string[] = [];
    const begun = gate();
    jobs.registerHandler('endless', {
      concurrency: 1,
      handle: async (_, { signal }) => {
        begun.open();
        await once(signal, 'abort');
        reasons.push((signal.reason as JobAborted).reason);
        signal.throwIfAborted();
      },
    });
    const { id } = await enqueue(others, 'endless');
    await begun.opened;
    expect(await others.cancel(id)).toMatchObject({ status: 'running', cancelRequested: true });
    expect(await finished(id)).toMatchObject({ status: 'cancelled', error: null });
    expect(reasons).toEqual(['cancelled']);
  });
});

describe('a job whose worker died', () => {
  /** Leaves a job as a worker would that ended without a word. */
  const abandon = async (
    queue: string,
    losses: number,
    fields: Record<string, unknown> = {},
    leaseSeconds = -0.001,
  ): Promise<string> => {
    const { id } = await enqueue(jobs, queue, { runAt: new Date(Date.now() + 3_600_000), mostTakes: 2, ...fields });
    await world.sql(
      `UPDATE job SET status = 'running', attempt = attempt + 1, worker = gen_random_uuid(), losses = $2,
         lease_until = now() + $3 * interval '1 second' WHERE id = $1`,
      [id, losses, leaseSeconds],
    );
    return id;
  };

  it('is taken by another', async () => {
    jobs.registerHandler('orphan', { concurrency: 1, handle: ({ attempt }) => Promise.resolve({ attempt }) });
    const id = await abandon('orphan', 0);
    expect(await finished(id)).toMatchObject({ status: 'succeeded', result: { attempt: 2 }, losses: 1, failures: 0 });
  });

  it('is taken in its turn again, and when another job of the worker is locked', async () => {
    const [abandoned, locked] = [
      await abandon('orphan', 0, { serialKey: 'four' }, 3_600),
      await abandon('orphan', 0, {}, 3_600),
    ];
    await world.sql('UPDATE job SET worker = (SELECT worker FROM job WHERE id = $1) WHERE id = $2', [
      abandoned,
      locked,
    ]);
    const { worker, attempt } = (await rowOf(abandoned)) as { worker: string; attempt: number };
    await world.get(LeasesStore).endTurn({ id: abandoned, worker, attempt });
    expect(await rowOf(abandoned)).toMatchObject({ status: 'running', serial_key: null });
    await inOwnerTransaction(world, async (client) => {
      await client.query('SELECT FROM job WHERE id = $1 FOR UPDATE', [locked]);
      expect(await finished(abandoned)).toMatchObject({ status: 'succeeded', losses: 1, serialKey: 'four' });
    });
    expect(await finished(locked)).toMatchObject({ status: 'succeeded', losses: 1, serialKey: null });
  });

  it('too often fails, whatever its queue says to that', async () => {
    const heard: unknown[] = [];
    for (const each of [jobs, others])
      each.registerHandler('poison', {
        concurrency: 2,
        handle: () => Promise.resolve(),
        onEnded: ({ status, error }) => {
          heard.push([status, error?.code]);
          return Promise.reject(new Error('never'));
        },
      });
    const id = await abandon('poison', 1);
    expect(await finished(id)).toMatchObject({ status: 'failed', attempt: 1, error: { code: 'WORKER_LOST' } });
    // Both replicas may notice it, and what the listener writes is rolled back in each.
    expect(new Set(heard.map(String))).toEqual(new Set(['failed,WORKER_LOST']));
  });

  it('is not taken again when it was to be cancelled', async () => {
    const id = await abandon('poison', 0);
    await jobs.cancel(id);
    expect(await finished(id)).toMatchObject({ status: 'cancelled', attempt: 1 });
  });
});

describe('waiting', () => {
  it('ends when its time is over, when the caller leaves, and when there is no such job', async () => {
    const { id } = await enqueue(jobs, 'nobody');
    expect(await jobs.waitUntilFinished(id, { timeoutMs: 20 })).toBeNull();
    const leaving = new AbortController();
    const wait = jobs.waitUntilFinished(id, { timeoutMs: 20_000, signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(wait).rejects.toThrow('gone');
    await expect(jobs.waitUntilFinished(world.organization, { timeoutMs: 20 })).rejects.toMatchObject({ status: 404 });
  });

  it('goes on when notifications were lost', async () => {
    const go = gate();
    jobs.registerHandler('unheard', { concurrency: 1, handle: () => go.opened });
    const { id } = await enqueue(jobs, 'unheard');
    await until(async () => (await rowOf(id))['status'] === 'running');
    const wait = finished(id);
    await world.sql(
      `UPDATE job SET status = 'succeeded', finished_at = now(), result = '{"quietly": true}' WHERE id = $1`,
      [id],
    );
    expect(await wait).toMatchObject({ result: { quietly: true } });
    go.open();
  });
});

describe('what is periodic', () => {
  it('runs once for each tick over all replicas', async () => {
    const ticks: number[] = [];
    for (const each of [jobs, others]) each.schedule('tick', 500, () => Promise.resolve(void ticks.push(Date.now())));
    await until(() => ticks.length >= 4);
    const rows = await world.sql<{ tick: string; count: number }>(
      `SELECT floor(extract(epoch FROM created_at) * 2) AS tick, count(*)::int AS count FROM job WHERE queue = 'tick' GROUP BY 1`,
    );
    expect(rows.filter(({ count }) => count > 1)).toEqual([]);
  });

  it('forgets jobs that ended long ago', async () => {
    const { id } = await enqueue(jobs, 'nobody');
    await world.sql(`UPDATE job SET status = 'failed', finished_at = now() - interval '3 days' WHERE id = $1`, [id]);
    const { id: recent } = await enqueue(jobs, 'nobody');
    await world.sql(`UPDATE job SET status = 'failed', finished_at = now() - interval '1 day' WHERE id = $1`, [recent]);
    const purge = await world.sql<{ id: string }>(`SELECT id FROM job WHERE queue = 'purge.jobs'`);
    await world.sql(`UPDATE job SET status = 'queued', run_at = now(), finished_at = NULL WHERE id = $1`, [
      purge[0]?.id,
    ]);
    await finished(purge[0]?.id ?? '');
    expect(await rowOf(id)).toEqual({});
    expect(await rowOf(recent)).toMatchObject({ id: recent });
  });
});

describe('a replica that shuts down', () => {
  it('lets jobs end, and gives up at once what does not', async () => {
    const leaving = await startReplica(world.get(DatabaseUrl).href, { drainMs: 300, graceMs: 200 });
    const queue = leaving.get(JobsService);
    const begun: string[] = [];
    const short = gate();
    queue.registerHandler('short', {
      concurrency: 1,
      handle: async () => {
        begun.push('short');
        await short.opened;
        return { here: true };
      },
    });
    const handler = (name: string, behaviour: (signal: AbortSignal) => Promise<void>) => {
      queue.registerHandler(name, {
        concurrency: 1,
        handle: (_, { signal }) => {
          begun.push(name);
          return behaviour(signal);
        },
      });
    };
    handler('obedient', async (signal) => {
      await once(signal, 'abort');
      signal.throwIfAborted();
    });
    handler('deaf', () => new Promise(() => undefined));
    const made = await Promise.all(['short', 'obedient', 'deaf'].map((name) => enqueue(jobs, name)));
    await until(() => begun.length === 3);
    const waiting = queue.waitUntilFinished(made[2]?.id ?? '', { timeoutMs: 60_000 });
    const closed = leaving.close();
    expect(await waiting).toBe(null);
    const late = await enqueue(jobs, 'short');
    short.open();
    await closed;
    const [first, ...rest] = await Promise.all(made.map(({ id }) => rowOf(id)));
    expect(first).toMatchObject({ status: 'succeeded', result: { here: true } });
    expect(rest).toMatchObject([
      { status: 'queued', worker: null, losses: 0, failures: 0 },
      { status: 'queued', worker: null, losses: 0, failures: 0 },
    ]);
    expect(['queued', 'succeeded']).toContain((await rowOf(late.id))['status']);
    for (const name of ['obedient', 'deaf'])
      jobs.registerHandler(name, { concurrency: 1, handle: ({ attempt }) => Promise.resolve({ attempt }) });
    for (const { id } of made.slice(1)) expect(await finished(id)).toMatchObject({ result: { attempt: 2 } });
  });
});

it('is alive, and reports how much there is to do', async () => {
  await enqueue(jobs, 'nobody');
  expect(jobs.isAlive()).toBe(true);
  const { body } = await world.stranger.get('/metrics');
  expect(body).toMatch(/armature_jobs\{queue="nobody",status="queued"\} [1-9]/);
  expect(body).toMatch(/armature_jobs_oldest_seconds\{queue="nobody",status="queued"\} \d/);
  expect(body).toMatch(/armature_jobs_total\{queue="double",outcome="succeeded"\} 1/);
});
