import { setImmediate } from 'node:timers/promises';
import { SendTurns } from './send-turns.js';

describe('the turns in which messages are sent', () => {
  it('let a bounded number out in one turn of the event loop, in their order, and all in the end', async () => {
    const turns = new SendTurns();
    const sent: number[] = [];
    const all = Promise.all(Array.from({ length: 1_000 }, (_, n) => turns.take().then(() => sent.push(n))));
    await setImmediate();
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThanOrEqual(200);
    await all;
    expect(sent).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  });
});
