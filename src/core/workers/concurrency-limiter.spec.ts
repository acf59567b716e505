import { ConcurrencyLimiter } from './concurrency-limiter.js';

it('refuses whoever waits longer than they want to, and lets others wait for their turn', async () => {
  const limiter = new ConcurrencyLimiter({ size: 1, waiting: 5, waitingPerCaller: 5 }, 'import');
  let end: (result: string) => void = () => undefined;
  const first = limiter.run(() => new Promise<string>((resolve) => (end = resolve)));
  const refused = limiter.run(() => Promise.resolve('never'), 10);
  const patient = limiter.run(() => Promise.resolve('patient'));
  await expect(refused).rejects.toMatchObject({
    ...{ status: 429, code: 'TOO_BUSY', message: 'Too many imports are running.' },
  });
  end('first');
  expect(await Promise.all([first, patient])).toEqual(['first', 'patient']);
});
