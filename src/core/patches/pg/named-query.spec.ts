import pg from 'pg';
import { speedPatches } from '../speed.js';
import { NamedQuery, RowReaders } from './named-query.js';

interface Internals {
  _result: object;
  _accumulateRows: unknown;
}

const parts = ['fields', '_parsers', '_prebuiltEmptyResultObject'];

/** A connection that notes the messages that are sent on it. */
const noting = (sent: string[]): pg.Connection =>
  new Proxy({} as pg.Connection, {
    get: (_, name) => (name === 'parsedStatements' ? {} : () => void sent.push(String(name))),
  });

const { areApplied } = speedPatches;
beforeAll(() => (speedPatches.areApplied = true));
afterAll(() => (speedPatches.areApplied = areApplied));

it('asks once for the rows of a prepared statement', () => {
  const readers = new RowReaders();
  const make = () => new NamedQuery('name', 'SELECT $1::int AS n', [1], readers, () => undefined);
  const [first, second] = [make(), make()];
  const sent: string[] = [];
  first.prepare(noting(sent));
  first.handleRowDescription({ fields: [{ name: 'n', dataTypeID: 23, format: 'text' }] });
  expect(sent).toContain('describe');
  expect((first as unknown as Internals)._accumulateRows).toBeTruthy();
  expect(Object.keys((first as unknown as Internals)._result)).toEqual(expect.arrayContaining(parts));
  sent.length = 0;
  second.prepare(noting(sent));
  expect(sent).not.toContain('describe');
  expect((second as unknown as Internals)._result).toMatchObject({ fields: [{ name: 'n' }] });
});

it('is what the driver calls on its own queries', () => {
  const query = pg.Query.prototype as unknown as Record<string, unknown>;
  expect([typeof query['prepare'], typeof query['handleRowDescription']]).toEqual(['function', 'function']);
  const made = new pg.Query('SELECT 1') as unknown as Internals;
  expect(Object.keys(made._result)).toEqual(expect.arrayContaining(parts));
});
