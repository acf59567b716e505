import { AppError } from '../errors/app-error.js';
import { type QueueEntry, FairQueue, type FairQueueBounds } from './fair-queue.js';

interface Named extends QueueEntry {
  name: string;
}

const entry = (name: string, caller: string, organization = 'one', bytes = 0): Named => ({
  name,
  bytes,
  party: { caller, organization },
  reject: (error) => {
    throw error;
  },
});

const queueOf = (bounds: Partial<FairQueueBounds> = {}): FairQueue<Named> =>
  new FairQueue({ size: 1, waiting: 10, waitingPerCaller: 5, ...bounds }, 'file');

/** Runs the entries one after another. @returns their names in order */
function orderOf(queue: FairQueue<Named>): string[] {
  const order: string[] = [];
  for (let next = queue.takeNext(0); next; next = queue.takeNext(0)) {
    order.push(next.name);
    queue.complete(next);
  }
  return order;
}

describe('A fair queue', () => {
  it('goes round by organization, and within one by caller', () => {
    const queue = queueOf();
    for (const name of ['a1', 'a2', 'a3']) queue.push(entry(name, 'ann'));
    for (const name of ['b1', 'b2']) queue.push(entry(name, 'bob'));
    for (const name of ['c1', 'c2']) queue.push(entry(name, 'cleo', 'two'));
    expect(orderOf(queue)).toEqual(['a1', 'c1', 'b1', 'c2', 'a2', 'b2', 'a3']);
  });

  it('lets one caller use all slots while nobody else waits', () => {
    const queue = queueOf({ size: 2 });
    for (const name of ['a1', 'a2', 'a3']) queue.push(entry(name, 'ann'));
    expect([queue.takeNext(0)?.name, queue.takeNext(1)?.name, queue.takeNext(2)?.name]).toEqual([
      'a1',
      'a2',
      undefined,
    ]);
  });

  it('lets callers with nothing running begin beyond the slots that others hold', () => {
    const queue = queueOf({ size: 2 });
    for (const name of ['a1', 'a2', 'a3']) queue.push(entry(name, 'ann'));
    queue.takeNext(0);
    queue.takeNext(1);
    queue.push(entry('b1', 'bob'));
    expect(queue.takeNext(2)?.name).toBe('b1');
    queue.push(entry('d1', 'dora'));
    expect(queue.takeNext(3)).toBeUndefined();
    queue.push(entry('c1', 'cleo', 'two'));
    expect(queue.takeNext(3)?.name).toBe('c1');
    expect(queue.takeNext(4)).toBeUndefined();
  });

  it('bounds what one caller has waiting, in number and in bytes', () => {
    const queue = queueOf({ waitingPerCaller: 2 });
    queue.push(entry('a1', 'ann'));
    queue.push(entry('a2', 'ann'));
    expect(() => queue.push(entry('a3', 'ann'))).toThrow('2 files of yours are waiting already');
    queue.push(entry('b1', 'bob', 'one', 100_000_000));
    const refused = (): void => queue.push(entry('b2', 'bob', 'one', 100_000_000));
    expect(refused).toThrow(
      new AppError(429, 'TOO_BUSY', 'Too busy', '1 file of yours is waiting already.', { remedy: '' }),
    );
  });

  it('makes room, when it is full, at the expense of the caller who has most in it', () => {
    const queue = queueOf({ waiting: 3 });
    const sentAway: Error[] = [];
    for (const name of ['a1', 'a2', 'a3'])
      queue.push({ ...entry(name, 'ann'), reject: (error) => sentAway.push(error) });
    queue.push(entry('b1', 'bob'));
    expect(sentAway).toMatchObject([
      { status: 429, message: expect.stringContaining('most of them are yours') as string },
    ]);
    expect(() => queue.push(entry('b2', 'bob'))).toThrow('Too many files are waiting');
    expect(orderOf(queue)).toEqual(['a1', 'b1', 'a2']);
  });
});
