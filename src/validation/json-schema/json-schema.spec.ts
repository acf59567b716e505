import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import { Findings } from '../schema/findings.js';
import { checkJsonSchema } from './json-schema.js';

function check(value: Json, schema: JsonObject): Findings {
  const findings = new Findings();
  checkJsonSchema(value, schema, findings);
  return findings;
}

/** A deterministic sequence of pseudo-random numbers from 0 to 1. */
function sequence(): () => number {
  let state = 7;
  return () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x80000000;
}

describe('an ordinary JSON Schema', () => {
  it('says what Ajv says, of hundreds of schemas made by chance', () => {
    const next = sequence();
    const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
    const data = (depth: number): Json => {
      const kind = depth > 2 ? pick([0, 1, 2]) : pick([0, 1, 2, 3, 4]);
      if (kind === 0) return pick<Json>([null, true, 0, 1, 2.5, -3]);
      if (kind < 3) return pick(['', 'a', 'ab', 'b', '2024-01-01']);
      if (kind === 3) return Array.from({ length: Math.floor(next() * 4) }, () => data(depth + 1));
      return Object.fromEntries(['a', 'b', 'ab'].filter(() => next() < 0.5).map((name) => [name, data(depth + 1)]));
    };
    const schema = (depth: number): JsonObject => {
      const part = (): Json => (depth > 2 ? pick<Json>([true, false, { type: 'string' }]) : schema(depth + 1));
      const makers: Record<string, () => Json> = {
        type: () => pick<Json>(['string', 'integer', 'number', 'object', 'array', ['string', 'null'], 'boolean']),
        enum: () => [data(1), data(1), data(2)],
        const: () => data(1),
        minimum: () => pick([0, 1, 2]),
        exclusiveMaximum: () => pick([1, 2]),
        multipleOf: () => pick([1, 0.5]),
        minLength: () => 1,
        maxLength: () => 1,
        pattern: () => pick(['^a', 'b$']),
        items: part,
        prefixItems: () => [part(), part()],
        contains: part,
        maxItems: () => 2,
        uniqueItems: () => true,
        properties: () => ({ a: part(), b: part() }),
        patternProperties: () => ({ '^a': part() }),
        additionalProperties: part,
        propertyNames: part,
        required: () => [pick(['a', 'b'])],
        minProperties: () => 1,
        dependentRequired: () => ({ a: ['b'] }),
        dependentSchemas: () => ({ b: part() }),
        allOf: () => [part(), part()],
        anyOf: () => [part(), part()],
        oneOf: () => [part(), part()],
        not: part,
        if: part,
        then: part,
        else: part,
        $ref: () => '#/$defs/other',
      };
      const names = Object.keys(makers).filter(() => next() < 0.08);
      return Object.fromEntries(names.map((name) => [name, makers[name]?.() ?? true]));
    };
    const ajv = new Ajv2020({ strict: false, logger: false });
    for (let round = 0; round < 400; round++) {
      const whole = { ...schema(0), $defs: { other: { type: pick(['string', 'object', 'array']) } } };
      const validate = ajv.compile(whole);
      for (let time = 0; time < 5; time++) {
        const value = data(0);
        expect({ whole, value, valid: check(value, whole).errors.length === 0 }).toEqual({
          whole,
          value,
          valid: validate(value),
        });
      }
    }
  });

  it('reads older dialects: exclusive bounds as flags, lists of items, references by $id', () => {
    const old = { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true };
    expect(check(1, old).errors).toHaveLength(1);
    expect(check(2, old).errors).toEqual([]);
    expect(
      check(['a', 1, 2], { items: [{ type: 'string' }], additionalItems: { type: 'string' } }).errors,
    ).toHaveLength(2);
    const anchored = { $ref: '#name', definitions: { one: { $id: '#name', type: 'string' } } };
    expect(check(1, anchored).errors).toHaveLength(1);
  });

  it('points at the place of an error', () => {
    const schema = { properties: { 'a/b': { items: { required: ['c'], additionalProperties: false } } } };
    expect(check({ 'a/b': [{}, { c: 1, 'd~': 2 }] }, schema).errors.map(({ pointer }) => pointer)).toEqual([
      '/a~1b/0/c',
      '/a~1b/1/c',
      '/a~1b/1/d~0',
    ]);
  });

  it('warns of what it cannot evaluate, and reports no error for it', () => {
    const schema = {
      properties: { a: { pattern: '^(?!x)' }, b: { $ref: 'https://example.com/schema' }, c: { $ref: '#/nowhere' } },
      unevaluatedProperties: false,
    };
    const { errors, warnings } = check({ a: 'x', b: 1, c: 1 }, schema);
    expect(errors).toEqual([]);
    expect(warnings.map(({ keyword }) => keyword)).toEqual(['not-judged', 'not-judged', 'not-judged', 'not-judged']);
  });
});
