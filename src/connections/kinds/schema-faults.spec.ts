import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { toFaults } from './schema-faults.js';

const ajv = addFormats.default(new Ajv({ allErrors: true, strict: false }));

function report(schema: object, value: unknown): string[] {
  expect(ajv.validate(schema, value)).toBe(false);
  return toFaults(ajv.errors ?? [], '/metadata').map(({ pointer, detail, remedy }) => {
    expect(remedy).toMatch(/^[A-Z].*\.$/);
    return `${pointer} ${detail}`;
  });
}

const of = (schema: object) => ({ type: 'object', properties: { a: schema } });

describe('what a schema finds wrong', () => {
  it.each<[string, object, unknown]>([
    ['/metadata needs url', { type: 'object', required: ['url'] }, {}],
    ['/metadata needs user beside password', { dependencies: { password: ['user'] } }, { password: 'x' }],
    ['/metadata does not take b', { ...of({}), additionalProperties: false }, { b: 1 }],
    ['/metadata/a must be text', of({ type: 'string' }), { a: 1 }],
    ['/metadata/a must be a whole number or null', of({ type: ['integer', 'null'] }), { a: 'x' }],
    ['/metadata/a must be one of red, 7', of({ enum: ['red', 7] }), { a: 'x' }],
    ['/metadata/a must be red', of({ const: 'red' }), { a: 'x' }],
    ['/metadata/a must be an http or https address', of({ pattern: '^https?://' }), { a: 'ftp://x' }],
    ['/metadata/a must have no colon', of({ pattern: '^[^:]*$' }), { a: 'a:b' }],
    [
      '/metadata/a must have no spaces, line breaks or characters beyond ASCII',
      of({ pattern: '^[\\x21-\\x7e]+$' }),
      { a: 'a b' },
    ],
    ['/metadata/a must match ^x$', of({ pattern: '^x$' }), { a: 'y' }],
    ['/metadata/a must be a valid uri', of({ format: 'uri' }), { a: 'no address' }],
    ['/metadata/a must have at least 3 characters', of({ minLength: 3 }), { a: 'x' }],
    ['/metadata/a must have at most 1 characters', of({ maxLength: 1 }), { a: 'xx' }],
    ['/metadata/a must be >= 3', of({ minimum: 3 }), { a: 1 }],
  ])('is that %s', (fault, schema, value) => {
    expect(report(schema, value)).toEqual([fault]);
  });

  it('is reported at its location, and once, when it is within alternatives', () => {
    const either = { anyOf: [of({ type: 'string' }), { ...of({ type: 'string' }), required: ['b'] }] };
    expect(report(either, { a: 1 })).toEqual(['/metadata/a must be text', '/metadata needs b']);
    expect(report({ if: {}, then: { required: ['c'] } }, {})).toEqual(['/metadata needs c']);
  });

  it('never repeats the value', () => {
    const schema = of({ type: 'string', pattern: '^https?://', format: 'uri', maxLength: 2, enum: ['x'] });
    expect(report(schema, { a: 'canary in a secret' }).join()).not.toContain('canary');
  });
});
