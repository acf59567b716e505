import { buildSchema, GraphQLError } from 'graphql';
import { DocumentCache } from './document-cache.js';

const schema = buildSchema('type Query { a: Int }');

describe('the cache of documents', () => {
  it('reads a document once, and keeps no invalid one', () => {
    const cache = new DocumentCache();
    expect(cache.read(schema, '{ a }')).toBe(cache.read(schema, '{ a }'));
    expect(cache.read(schema, '{ b }')).toEqual([expect.any(GraphQLError)]);
    expect(cache.read(schema, '{ b }')).not.toBe(cache.read(schema, '{ b }'));
    expect(() => cache.read(schema, '{')).toThrow(GraphQLError);
  });

  it('drops the oldest of more than 500, and keeps no long one', () => {
    const cache = new DocumentCache();
    const first = cache.read(schema, '{ a }');
    for (let n = 0; n < 500; n++) cache.read(schema, `query Q${n} { a }`);
    expect(cache.read(schema, '{ a }')).not.toBe(first);
    const long = `{ a } # ${'x'.repeat(5_000)}`;
    expect(cache.read(schema, long)).not.toBe(cache.read(schema, long));
  });
});
