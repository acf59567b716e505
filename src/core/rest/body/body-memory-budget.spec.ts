import type { AppError } from '../../errors/app-error.js';
import { BodyMemoryBudget, type BodyReservation } from './body-memory-budget.js';

const MB = 1024 * 1024;

let [budget, now] = [new BodyMemoryBudget(), 0];
beforeEach(() => {
  now = 0;
  budget = new BodyMemoryBudget(() => now);
});

/** A body of which this many bytes have arrived; a rejected body is answered. */
function arrive(caller: string, bytes: number): BodyReservation & { ended?: AppError } {
  const body: BodyReservation & { ended?: AppError } = budget.reserve(caller);
  body.onEvicted = (reason) => (body.ended = reason);
  try {
    for (let left = bytes; left > 0; left -= MB) body.take(Math.min(left, MB));
  } catch (error) {
    body.release();
    throw error;
  }
  return body;
}

const tooBusy = 'Too many large bodies are being read at this moment.';

describe('the memory of bodies', () => {
  it('is what has arrived, not what may still come', () => {
    for (let each = 0; each < 1_000; each++) arrive(`user ${each}`, 1_000);
    expect(() => arrive('another', 50 * MB)).not.toThrow();
  });

  it('is bounded for all, and free again once a body is answered', () => {
    const first = arrive('user 0', 50 * MB);
    for (let each = 1; each < 10; each++) arrive(`user ${each}`, 50 * MB);
    expect(() => arrive('another', 50 * MB)).toThrow(tooBusy);
    first.release();
    first.release();
    expect(() => arrive('a third', 10 * MB)).not.toThrow();
    expect(() => arrive('a fourth', 60 * MB)).toThrow(tooBusy);
  });

  it('is bounded for one caller, who may send a single body of any size', () => {
    arrive('user', 200 * MB).release();
    for (let each = 0; each < 3; each++) arrive('user', 50 * MB);
    expect(() => arrive('user', 50 * MB)).toThrow(tooBusy);
    expect(() => arrive('another', 50 * MB)).not.toThrow();
  });

  it('is left free for others by those who send several', () => {
    for (let caller = 0; caller < 4; caller++)
      expect(() => {
        for (;;) arrive(`user ${caller}`, 5 * MB);
      }).toThrow(tooBusy);
    expect(() => arrive('another', 20 * MB)).not.toThrow();
  });

  it('has room for small bodies when large ones have taken theirs', () => {
    for (let each = 0; each < 10; each++) arrive(`user ${each}`, 51 * MB);
    expect(() => arrive('user 1', 50 * MB)).toThrow(tooBusy);
    for (let each = 0; each < 10; each++) arrive('user 1', MB);
    expect(() => {
      for (let each = 0; each < 200; each++) arrive(`caller ${each}`, MB);
    }).toThrow(tooBusy);
  });

  it('is taken from the slowest large body by one that arrives faster, and never from one that is whole', () => {
    const whole = arrive('user 0', 51 * MB);
    whole.complete();
    const slow = Array.from({ length: 9 }, (_, each) => arrive(`user ${each + 1}`, (each < 3 ? 40 : 51) * MB));
    const small = arrive('small', 1_000);
    now = 60_000;
    const fast = arrive('another', 60 * MB);
    expect(slow.map(({ ended }) => ended?.code)).toEqual(['TOO_BUSY', ...Array<undefined>(8).fill(undefined)]);
    expect([whole.ended, small.ended, fast.ended]).toEqual([undefined, undefined, undefined]);
    // A body that has ended reserves nothing.
    slow[0]?.take(400 * MB);
    expect(() => fast.take(5 * MB)).not.toThrow();
  });

  it('is taken from nobody who is as fast', () => {
    const others = Array.from({ length: 10 }, (_, each) => arrive(`user ${each}`, 51 * MB));
    expect(() => arrive('another', 50 * MB)).toThrow(tooBusy);
    expect(others.every(({ ended }) => ended === undefined)).toBe(true);
  });
});
