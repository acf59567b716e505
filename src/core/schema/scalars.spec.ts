import { parseValue } from 'graphql';
import { GraphQLAny, GraphQLMap, GraphQLTime } from './scalars.js';

describe('The Time scalar', () => {
  it('goes out in UTC with milliseconds, from a Date or from a string', () => {
    expect(GraphQLTime.serialize(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(GraphQLTime.serialize('2026-01-31T10:00:00+02:00')).toBe('2026-01-31T08:00:00.000Z');
  });

  it('comes in as a Date, as a variable and as a literal', () => {
    expect(GraphQLTime.parseValue('2026-01-31T10:00:00Z')).toEqual(new Date(Date.UTC(2026, 0, 31, 10)));
    expect(GraphQLTime.parseLiteral(parseValue('"2026-01-31T10:00:00.5-01:00"'))).toEqual(
      new Date(Date.UTC(2026, 0, 31, 11, 0, 0, 500)),
    );
  });

  it.each(['yesterday', '2026-01-31', '2026-01-31T10:00:00', '2026-02-30T10:00:00Z', '2026-13-01T10:00:00Z', 0, null])(
    'refuses %p',
    (value) => {
      expect(() => GraphQLTime.parseValue(value)).toThrow('Time must be an ISO 8601 timestamp with a zone');
    },
  );
});

describe('The Map scalar', () => {
  it('takes objects, with variables inside of literals', () => {
    expect(GraphQLMap.parseValue({ a: [1] })).toEqual({ a: [1] });
    expect(GraphQLMap.parseLiteral(parseValue('{ a: $a, b: [true] }'), { a: 1 })).toMatchObject({ a: 1, b: [true] });
  });

  it.each([[[]], ['text'], [null], [1]])('refuses %p', (value) => {
    expect(() => GraphQLMap.parseValue(value)).toThrow('Map must be a JSON object');
  });
});

describe('The Any scalar', () => {
  it('takes every JSON value', () => {
    for (const value of [null, 1, 'a', [1, { b: 2 }], { c: 3 }]) expect(GraphQLAny.parseValue(value)).toEqual(value);
    expect(GraphQLAny.parseLiteral(parseValue('[1, "a", null, { b: $b }]'), { b: 2 })).toMatchObject([
      1,
      'a',
      null,
      { b: 2 },
    ]);
  });
});
