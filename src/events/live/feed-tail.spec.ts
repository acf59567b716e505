import type { FeedBatch, FeedStore } from '../feed.store.js';
import { FeedTail } from './feed-tail.js';

const USER = 'user';

/** A feed of which only the numbers from `oldest` to `last` are left. */
function tailOf(oldest: number, last: number, end = last): FeedTail {
  const readAfter = (_: string, from: bigint): Promise<FeedBatch> => {
    const first = Math.max(oldest, Number(from) + 1);
    const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_each, index) => String(first + index));
    const events = numbers.map((sequence) => {
      const seen = { event: { sequence }, read: false };
      return { readers: new Set([USER]), readBy: new Set<string>(), read: seen, unread: seen };
    });
    return Promise.resolve({
      at: performance.now(),
      from: numbers.length > 0 ? BigInt(first - 1) : from,
      through: numbers.length > 0 ? BigInt(last) : from,
      users: new Set([USER]),
      events: events as unknown as FeedBatch['events'],
      seenBy: new Map(),
    });
  };
  return new FeedTail('feed', BigInt(end), { readAfter } as unknown as FeedStore);
}

describe('a tail of a feed', () => {
  it('gives what comes after a position, also when all before it is gone', async () => {
    const passage = await tailOf(11, 13).readAfter(10n, USER);
    expect(passage?.events.map(({ event }) => event.sequence)).toEqual(['11', '12', '13']);
    expect(await tailOf(11, 13).readAfter(13n, USER)).toBeNull();
  });

  it('fails a follower for whom something is gone, and says where to go on', async () => {
    const code = 'REPLAY_EXPIRED';
    await expect(tailOf(11, 13).readAfter(9n, USER)).rejects.toMatchObject({ code, extensions: { oldest: '11' } });
    await expect(tailOf(20, 19, 19).readAfter(18n, USER)).rejects.toMatchObject({ code, extensions: { oldest: '20' } });
  });
});
