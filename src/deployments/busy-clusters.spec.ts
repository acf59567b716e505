import { setTimeout as pause } from 'node:timers/promises';
import { BusyClusters } from './busy-clusters.js';

describe('What yields to the work on a cluster', () => {
  const clusters = new BusyClusters();
  const busy = (connectionId: string) => {
    let end: () => void = () => undefined;
    const work = clusters.during(connectionId, () => new Promise<void>((resolve) => (end = resolve)));
    return () => (end(), work);
  };

  it('waits for all of it, also for what began meanwhile, and not for that on others', async () => {
    const [first, second, other] = [busy('a'), busy('a'), busy('b')];
    const passed: string[] = [];
    const pace = clusters.yieldTo('a', 10_000);
    const waiting = Promise.all(['one', 'two'].map(async (lane) => (await pace(), passed.push(lane))));
    await first();
    await pause(5);
    expect(passed).toEqual([]);
    await second();
    await waiting;
    expect(passed).toEqual(['one', 'two']);
    await pace();
    await other();
  });

  it('ends with an error of the work, too', async () => {
    await expect(clusters.during('c', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await clusters.yieldTo('c', 10_000)();
  });

  it('goes on after its time, and ends at once when it is aborted', async () => {
    const end = busy('d');
    const pace = clusters.yieldTo('d', 20);
    await pace();
    await pace();
    await expect(clusters.yieldTo('d', 10_000, AbortSignal.timeout(5))()).rejects.toThrow('timeout');
    await end();
  });
});
