import type { Json, JsonObject } from '../core/json/json.js';
import { compileSchema, validateBySchema } from './validate-by-schema.js';

const TYPE = { apiVersion: 'example.com/v1', kind: 'Thing' };
const THING = { ...TYPE, metadata: { name: 'thing' } };

/** Validates a spec against its schema. */
function ofSpec(spec: Json, schema: JsonObject): ReturnType<typeof validateBySchema> {
  return validateBySchema({ ...THING, spec }, { type: 'object', properties: { spec: schema } }, { type: TYPE });
}

const places = (findings: { pointer: string; keyword: string }[]): string[] =>
  findings.map(({ pointer, keyword }) => `${keyword} ${pointer}`);

describe('hostile input', () => {
  const rule = (text: string, value: Json, type: JsonObject): ReturnType<typeof validateBySchema> =>
    ofSpec(value, { ...type, 'x-kubernetes-validations': [{ rule: text }] });
  const numbers = { type: 'array', items: { type: 'integer' } };
  const thousand = Array.from({ length: 1000 }, (_, index) => index);

  it('keeps keys that are special to JavaScript as they are', () => {
    const resource = JSON.parse(
      '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","labels":{"constructor":"b"}},"spec":{"__proto__":{"polluted":true},"a\\u0000":1}}',
    ) as JsonObject;
    const { warnings } = validateBySchema(
      resource,
      { type: 'object', properties: { spec: { type: 'object' } } },
      { type: TYPE },
    );
    expect(places(warnings)).toEqual(['unknown-field /spec/__proto__', 'unknown-field /spec/a\u0000']);
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });

  it('is not walked when it is too deep or too large, and says so', () => {
    let deep: Json = 1;
    for (let level = 0; level < 50_000; level++) deep = [deep];
    const wide = Array.from({ length: 200_000 }, () => 1);
    for (const spec of [deep, wide]) {
      const { errors, warnings } = ofSpec(spec, { type: 'array' });
      expect(errors).toEqual([]);
      expect(places(warnings)).toEqual(['not-judged ']);
    }
  });

  it('is not repeated with each finding below a name of megabytes', () => {
    const inner = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field-${index}`, 1]));
    const members = { type: 'object', properties: { known: { type: 'object' } } };
    const { errors, warnings } = ofSpec(
      { ['k'.repeat(2_000_000)]: { ...inner, known: 1 } },
      { type: 'object', additionalProperties: members },
    );
    expect([errors.length, warnings.length]).toEqual([1, 200]);
    expect(JSON.stringify([errors, warnings]).length).toBeLessThan(300_000);
  });

  it('ends whatever a schema asks for', () => {
    const circles: JsonObject[] = [
      { anyOf: [{ $ref: '#/definitions/a' }, { $ref: '#/definitions/a' }] },
      { not: { $ref: '#/definitions/a' } },
      { $ref: '#/definitions/a' },
      { type: 'object', properties: { a: { $ref: '#/definitions/a' } }, default: {} },
    ];
    for (const a of circles) {
      const schema = { type: 'object', properties: { spec: { $ref: '#/definitions/a' } }, definitions: { a } };
      expect(() => validateBySchema({ ...THING, spec: {} }, schema, { type: TYPE })).not.toThrow();
    }
    const branch = { properties: { x: { $ref: '#/definitions/a' } }, required: ['y'] };
    const doubling = { $schema: 'x', $ref: '#/definitions/a', definitions: { a: { anyOf: [branch, branch] } } };
    const long = JSON.parse('{"x":'.repeat(60) + '1' + '}'.repeat(60)) as JsonObject;
    expect(places(validateBySchema(long, doubling).warnings)).toEqual(['not-judged ']);
  });

  it('ends whatever a rule asks for', () => {
    const doubled = Array.from({ length: 40 }).reduce<string>((text) => `[${text}].map(x, x + x)[0]`, 'self');
    const verdicts = [
      rule('self.all(a, self.all(b, self.all(c, a + b + c >= 0)))', thousand, numbers),
      rule(`${doubled}.size() > 0`, thousand, numbers),
      rule(`${doubled} != ''`, 'a'.repeat(1000), { type: 'string' }),
      rule(`${'('.repeat(3000)}1${')'.repeat(3000)} == 1`, 'a', { type: 'string' }),
      rule("self.matches('((x*y*z?a{0,100}){0,10})$')", 'a'.repeat(100_000), { type: 'string' }),
    ];
    for (const { errors, warnings } of verdicts) {
      expect(errors).toEqual([]);
      expect(warnings[0]?.detail).toMatch(/^CEL rule not evaluated/);
    }
  });

  it('shares one budget among all rules', () => {
    const rules = Array.from({ length: 50 }, () => ({ rule: 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))' }));
    const { warnings } = ofSpec(thousand, { ...numbers, 'x-kubernetes-validations': rules });
    expect(warnings.at(-1)?.keyword).toBe('not-judged');
  });

  it('cannot slow a pattern down', () => {
    expect(places(ofSpec(`${'a'.repeat(100_000)}b`, { type: 'string', pattern: '^(a+)+$' }).errors)).toEqual([
      'pattern /spec',
    ]);
    const lookahead = ofSpec('a', { type: 'string', pattern: '^(?!b)' });
    expect([lookahead.errors.length, places(lookahead.warnings)]).toEqual([0, ['not-judged /spec']]);
  });

  it('may be a schema of nonsense', () => {
    const nonsense = {
      type: 7,
      properties: [],
      items: 'x',
      required: {},
      enum: 5,
      allOf: {},
      pattern: 3,
      'x-kubernetes-validations': [1, { rule: 3 }],
    };
    expect(() => validateBySchema(THING, nonsense as unknown as JsonObject, { type: TYPE })).not.toThrow();
    expect(compileSchema({}).isKubernetes).toBe(false);
  });
});
