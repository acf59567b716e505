import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { speedPatches } from '../speed.js';
import { joinWritesOf } from './joined-writes.js';

it('joins what is written to the socket of a client in one turn', async () => {
  const client = new pg.Client();
  const calls: string[] = [];
  Object.assign(client.connection.stream, { cork: () => calls.push('cork'), uncork: () => calls.push('uncork') });
  const join = joinWritesOf(client);
  for (const statement of ['START TRANSACTION', 'SELECT 1']) {
    join();
    calls.push(statement);
  }
  await setImmediate();
  const joined = ['cork', 'START TRANSACTION', 'SELECT 1', 'uncork'];
  expect(calls).toEqual(speedPatches.areApplied ? joined : joined.slice(1, 3));
  expect([typeof new pg.Client().connection.stream.cork, typeof pg.Client.prototype.query]).toEqual([
    'function',
    'function',
  ]);
});
