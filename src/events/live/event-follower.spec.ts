import type { SeenEvent } from '../event.entity.js';
import { EventFollower } from './event-follower.js';
import { type FeedSlice, type FeedTail, FRESH_MS } from './feed-tail.js';

const LAST = 5n;

/** A tail whose events up to number 5 were read just now. */
const tail = {
  add: () => undefined,
  remove: () => undefined,
  hasMoreThan: (position: bigint) => position < LAST,
  findRecent: (position: bigint): FeedSlice | null => (position < LAST ? readFrom(position) : null),
  readAfter: (position: bigint) => Promise.resolve(tail.findRecent(position)),
};

function readFrom(position: bigint): FeedSlice {
  const numbers = Array.from({ length: Number(LAST - position) }, (_, index) => String(Number(position) + 1 + index));
  const events = numbers.map((sequence) => ({ event: { sequence }, read: false }) as SeenEvent);
  return { at: performance.now(), through: LAST, events };
}

function follow(wanted: (seen: SeenEvent) => boolean): EventFollower {
  const follower = new EventFollower('user', wanted, () => undefined);
  follower.follow('feed', tail as unknown as FeedTail, 0n);
  return follower;
}

const numbersOf = (events: SeenEvent[]): string[] => events.map(({ event }) => event.sequence);

describe('a follower of events', () => {
  it('takes as many together as it is asked for, and then the rest', async () => {
    const follower = follow(({ event }) => event.sequence !== '2');
    expect(numbersOf(await follower.nextBatch(3))).toEqual(['1', '3', '4']);
    expect(numbersOf(await follower.nextBatch(3))).toEqual(['5']);
    await follower.return();
    expect(await follower.nextBatch(3)).toEqual([]);
  });

  it('reads again what it did not take while the right to it was fresh, without being woken', async () => {
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const follower = follow(({ event }) => {
      if (event.sequence === '2') now += FRESH_MS;
      return true;
    });
    expect(numbersOf(await follower.nextBatch(1))).toEqual(['1']);
    expect(numbersOf(await follower.nextBatch(1))).toEqual(['2']);
    expect(numbersOf(await follower.nextBatch(10))).toEqual(['3', '4', '5']);
    jest.restoreAllMocks();
  });
});
