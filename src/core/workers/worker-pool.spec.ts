import { setTimeout as sleep } from 'node:timers/promises';
import { openTransaction, type OpenTransaction } from '../database/open-transaction.js';
import { isDatabaseOutage, PoolExhausted } from '../errors/database-outage.js';
import { WorkerPool } from './worker-pool.js';
import { findThreadTask, passOnTask } from './worker-pool.fixture.js';

describe('A task of a worker', () => {
  const pool = new WorkerPool();
  afterAll(() => pool.close());

  it('fails with the very error of its question', async () => {
    const error = new PoolExhausted();
    const failing = pool.run(passOnTask, 'who?', { answerQuestion: () => Promise.reject(error) });
    await expect(failing).rejects.toBe(error);
    expect(isDatabaseOutage(error)).toBe(true);
    await expect(pool.run(passOnTask, 'who?', { answerQuestion: () => Promise.resolve('me') })).resolves.toBe('me');
  });

  it('is refused inside a transaction', async () => {
    const transaction = { isOver: false } as OpenTransaction;
    const run = (): Promise<unknown> =>
      openTransaction.run(transaction, () =>
        pool.run(passOnTask, 'who?', { answerQuestion: () => Promise.resolve('me') }),
      );
    expect(run).toThrow('a task of a worker (passOn) must not run inside a transaction');
    transaction.isOver = true;
    await expect(run()).resolves.toBe('me');
  });

  it('runs in the worker of the one before, which ends when none has come for a while', async () => {
    const short = new WorkerPool({ idleMs: 300 });
    try {
      const first = await short.run(findThreadTask, null);
      expect(await short.run(findThreadTask, null)).toBe(first);
      await sleep(600);
      expect(await short.run(findThreadTask, null)).not.toBe(first);
    } finally {
      await short.close();
    }
  });
});
