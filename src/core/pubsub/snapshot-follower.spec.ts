import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseUnavailable } from '../errors/database-outage.js';
import { SnapshotFollower } from './snapshot-follower.js';

/** A follower of a number that the test increments. */
function followed() {
  const state = { value: 1, readings: 0, left: 0, failure: null as Error | null };
  const read = (): Promise<{ value: number }> => {
    state.readings++;
    return state.failure ? Promise.reject(state.failure) : Promise.resolve({ value: state.value });
  };
  const fingerprint = ({ value }: { value: number }): string => `${value}`;
  return { state, follower: new SnapshotFollower({ read, fingerprint }, () => state.left++) };
}

const open = Symbol('open');
const within = <T>(ms: number, promise: Promise<T>): Promise<T | typeof open> =>
  Promise.race([promise, wait(ms, open)]);

describe('a follower of a snapshot', () => {
  it('is given the snapshot at once, and again only when it has changed', async () => {
    const { state, follower } = followed();
    expect(await follower.next()).toEqual({ done: false, value: { value: 1 } });
    const next = follower.next();
    follower.wake();
    expect(await within(600, next)).toBe(open);
    expect(state.readings).toBe(2);
    state.value++;
    follower.wake();
    expect(await within(600, next)).toMatchObject({ done: false });
    await follower.return();
  });

  it('reads for itself only when it takes, and a quarter of a second apart', async () => {
    const { state, follower } = followed();
    await follower.next();
    for (let n = 0; n < 100; n++) {
      state.value++;
      follower.wake();
    }
    await wait(300);
    expect(state.readings).toBe(1);
    await follower.next();
    const before = performance.now();
    state.value++;
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

  it('ends with the error when the snapshot cannot be read, as when a right has gone', async () => {
    const { state, follower } = followed();
    state.failure = new Error('no right');
    await expect(follower.next()).rejects.toThrow('no right');
    expect(state.left).toBe(1);
    expect(await follower.next()).toEqual({ done: true, value: undefined });
  });

  it('outlasts an outage of the database', async () => {
    const { state, follower } = followed();
    state.failure = new DatabaseUnavailable();
    const next = follower.next();
    expect(await within(100, next)).toBe(open);
    state.failure = null;
    expect(await within(1_500, next)).toEqual({ done: false, value: { value: 1 } });
    await follower.return();
  });
});
