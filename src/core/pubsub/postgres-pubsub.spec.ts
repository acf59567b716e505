import { setTimeout as wait } from 'node:timers/promises';
import { withFilter } from 'graphql-subscriptions';
import pg from 'pg';
import { until } from '../../../test/support/until.js';
import { World } from '../../../test/support/world.js';
import { DatabaseUrl } from '../database/database-url.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { PostgresPubSub } from './postgres-pubsub.js';

let world: World;
let pubsub: PostgresPubSub;
beforeAll(async () => {
  world = await World.start();
  pubsub = world.get(PostgresPubSub);
});
afterAll(() => world.stop());

const loseConnection = async (): Promise<void> => {
  const owner = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
  await owner.connect();
  await owner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'armature-listen' AND datname = current_database()`,
  );
  await owner.end();
};

describe('the PubSubEngine on PostgreSQL', () => {
  it('gives each topic its messages, in their order, until it is unsubscribed', async () => {
    const received: unknown[] = [];
    const id = await pubsub.subscribe<unknown>('colours', (message) => received.push(message));
    await pubsub.publish('sizes', 'large');
    for (const message of ['red', { name: 'green' }, null]) await pubsub.publish('colours', message);
    await until(() => received.length === 3);
    expect(received).toEqual(['red', { name: 'green' }, null]);
    pubsub.unsubscribe(id);
    const iterator = pubsub.asyncIterableIterator<string>('colours');
    const next = iterator.next();
    await pubsub.publish('colours', 'blue');
    expect(await next).toEqual({ done: false, value: 'blue' });
    expect(received).toHaveLength(3);
    await iterator.return?.();
  });

  it('publishes within a transaction when it commits, and not when it is undone', async () => {
    const received: string[] = [];
    const id = await pubsub.subscribe<string>('orders', (message) => received.push(message));
    const publish = (message: string, fails: boolean): Promise<void> =>
      world.get(UnitOfWork).run(async () => {
        await pubsub.publish('orders', message);
        await wait(50);
        expect(received).toEqual([]);
        if (fails) throw new Error('undone');
      });
    await expect(publish('first', true)).rejects.toThrow('undone');
    await publish('second', false);
    await until(() => received.length > 0);
    expect(received).toEqual(['second']);
    pubsub.unsubscribe(id);
  });

  it('serves withFilter, and the iterator ends when it is returned while it waits', async () => {
    const subscribe = withFilter<{ n: number }>(
      () => pubsub.asyncIterableIterator<{ n: number }>(['even', 'odd']),
      (message) => message !== undefined && message.n > 2,
    );
    const iterator = await subscribe();
    const first = iterator.next();
    for (let n = 1; n <= 4; n++) await pubsub.publish(n % 2 ? 'odd' : 'even', { n });
    expect((await first).value).toEqual({ n: 3 });
    expect((await iterator.next()).value).toEqual({ n: 4 });
    const next = iterator.next();
    await iterator.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('listens again after the connection was lost, and notifies those who may have missed a message', async () => {
    const received: string[] = [];
    const id = await pubsub.subscribe<string>('weather', (message) => received.push(message));
    const missed = new Promise<void>((resolve) => pubsub.onMissed(resolve));
    await loseConnection();
    await missed;
    await pubsub.publish('weather', 'sunny');
    await until(() => received.length === 1);
    pubsub.unsubscribe(id);
  });

  it('refuses a message that no notification can hold', async () => {
    await expect(pubsub.publish('large', 'x'.repeat(8_000))).rejects.toThrow(RangeError);
  });
});
