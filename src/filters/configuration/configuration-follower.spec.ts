import { setTimeout as wait } from 'node:timers/promises';
import { singlePage } from '../../core/listing/page.js';
import { Filter } from '../filter.entity.js';
import { ConfigurationFollower, type ConfigurationSnapshot } from './configuration-follower.js';

/** A follower of one filter, whose revision the test counts up. */
function followed() {
  const state = { revision: 1, readings: 0, left: 0, fails: false };
  const read = (): Promise<ConfigurationSnapshot> => {
    state.readings++;
    if (state.fails) return Promise.reject(new Error('the database is away'));
    const filter = Object.assign(new Filter(), { id: 'a', revision: state.revision });
    return Promise.resolve({
      organizations: new Set(['own']),
      pages: { patterns: singlePage([]), filters: singlePage([filter]) },
    });
  };
  return { state, follower: new ConfigurationFollower(read, () => state.left++) };
}

const open = Symbol('open');
const within = <T>(ms: number, promise: Promise<T>): Promise<T | typeof open> =>
  Promise.race([promise, wait(ms, open)]);

describe('a follower of the configuration', () => {
  it('is given the pages at once, and again only when they have changed', async () => {
    const { state, follower } = followed();
    expect((await follower.next()).value?.filters.total).toBe(1);
    expect([follower.follows('own'), follower.follows('other')]).toEqual([true, false]);
    const next = follower.next();
    follower.wake();
    expect(await within(600, next)).toBe(open);
    expect(state.readings).toBe(2);
    state.revision++;
    follower.wake();
    expect(await within(600, next)).toMatchObject({ done: false });
    await follower.return();
  });

  it('reads for itself only when it takes, and a quarter of a second apart', async () => {
    const { state, follower } = followed();
    await follower.next();
    for (let n = 0; n < 100; n++) {
      state.revision++;
      follower.wake();
    }
    await wait(300);
    expect(state.readings).toBe(1);
    await follower.next();
    const before = performance.now();
    state.revision++;
    follower.wake();
    await follower.next();
    expect(performance.now() - before).toBeGreaterThanOrEqual(245);
    expect(state.readings).toBe(3);
    await follower.return();
  });

  it('ends while it waits, once', async () => {
    const { state, follower } = followed();
    await follower.next();
    const next = follower.next();
    await follower.return();
    await follower.return();
    expect(await within(600, next)).toEqual({ done: true, value: undefined });
    expect(await follower.next()).toEqual({ done: true, value: undefined });
    expect(state.left).toBe(1);
  });

  it('ends when the pages cannot be read, and says why', async () => {
    const { state, follower } = followed();
    state.fails = true;
    await expect(follower.next()).rejects.toThrow('away');
    expect(state.left).toBe(1);
    expect(await follower.next()).toEqual({ done: true, value: undefined });
  });
});
