import { type ExceededTime, ProcessorTimer, readProcessTime, readThreadTime } from './processor-timer.js';

/** The outcome of a limit of 100 ms. @param share of the elapsed time that counts as processor time */
async function exceed(share: number | undefined): Promise<{ why: ExceededTime; afterMs: number }> {
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const why = await new Promise<ExceededTime>((done) => {
    new ProcessorTimer(100, () => (share === undefined ? undefined : elapsed() * share), done, 400).start();
  });
  return { why, afterMs: elapsed() };
}

describe('a limit of processor time', () => {
  it('is exceeded by what has used it', async () => {
    const { why, afterMs } = await exceed(1);
    expect(why).toBe('used');
    expect(afterMs).toBeGreaterThanOrEqual(99);
    expect((await exceed(0.5)).afterMs).toBeGreaterThanOrEqual(199);
  });

  it('counts all time where the system does not report it', async () => {
    const { why, afterMs } = await exceed(undefined);
    expect(why).toBe('used');
    expect(afterMs).toBeGreaterThanOrEqual(99);
  });

  it('is exceeded at last by what gets no processor time', async () => {
    const { why, afterMs } = await exceed(0);
    expect(why).toBe('busy');
    expect(afterMs).toBeGreaterThanOrEqual(399);
  });

  it('is not exceeded by several threads before as much time has passed', async () => {
    expect((await exceed(4)).afterMs).toBeGreaterThanOrEqual(99);
  });

  it('does not count pauses', () => {
    let now = 0;
    let exceeded = false;
    const timer = new ProcessorTimer(
      100,
      () => now,
      () => (exceeded = true),
    );
    timer.start();
    timer.stop();
    now += 1_000;
    timer.start();
    timer.stop();
    expect(exceeded).toBe(false);
  });

  (process.platform === 'linux' ? it : it.skip)('reads the processor time of a process and of a thread', () => {
    const before = readProcessTime('/proc/self') ?? 0;
    const until = performance.now() + 2_000;
    while ((readProcessTime('/proc/self') ?? 0) < before + 50 && performance.now() < until);
    expect(readProcessTime('/proc/self')).toBeGreaterThanOrEqual(before + 50);
    expect(readThreadTime('/proc/thread-self')).toBeGreaterThan(0);
    expect(readProcessTime('/proc/0')).toBeUndefined();
  });
});
