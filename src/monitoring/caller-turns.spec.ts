import { CallerTurns } from './caller-turns.js';

describe('the turns of callers', () => {
  it('let two queries of a caller run at once, the rest in their order, and those of others beside them', async () => {
    const turns = new CallerTurns();
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const query = (name: string) => () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    };
    const asked = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => turns.run(name[0] ?? '', query(name)));
    await Promise.resolve();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    for (let at = 0; at < 5; at++) {
      ends[at]?.();
      await new Promise(setImmediate);
    }
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  });

  it('go on after a query that fails, and refuse those for which too many wait', async () => {
    const turns = new CallerTurns();
    const fail = () => Promise.reject(new Error('no'));
    for (let n = 0; n < 5; n++) await expect(turns.run('a', fail)).rejects.toThrow('no');
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const waiting = Array.from({ length: 22 }, () => turns.run('a', () => held));
    await expect(turns.run('a', () => held)).rejects.toMatchObject({ status: 429, code: 'TOO_BUSY' });
    await expect(turns.run('b', () => Promise.resolve('other'))).resolves.toBe('other');
    end();
    await Promise.all(waiting);
    await expect(turns.run('a', () => Promise.resolve('again'))).resolves.toBe('again');
  });
});
