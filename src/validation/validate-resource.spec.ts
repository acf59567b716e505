import type { JsonObject } from '../core/json/json.js';
import { compileSchema } from './validate-by-schema.js';
import { validateResource } from './validate-resource.js';

const type = { apiVersion: 'example.org/v1', kind: 'Gadget' };
const LONG = `canary${'x'.repeat(300)}`;

/** A custom resource with a hidden value, whose rules quote it in many ways. */
function validate(value: unknown, spec: JsonObject): string[] {
  const env = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, value: spec } } };
  const rules = [
    { rule: 'false', messageExpression: "'it has ' + string(self.env[0].value) + ' in it'" },
    { rule: 'self[self.env[0].value] == 1', message: 'looks it up' },
  ];
  const properties = { spec: { type: 'object', properties: { env }, 'x-kubernetes-validations': rules } };
  const schema = compileSchema({ type: 'object', properties: properties as object as JsonObject });
  const resource = { ...type, metadata: { name: 'mine' }, spec: { env: [{ name: 'A', value }] } } as JsonObject;
  const { errors, warnings } = validateResource(resource, schema, type);
  return [...errors, ...warnings].map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

describe('the findings about a resource with hidden values', () => {
  it.each([
    ['a pattern', LONG, { type: 'string', pattern: '^[0-9]+$' }],
    ['a length', LONG, { type: 'string', maxLength: 20 }],
    ['an enumeration', LONG, { type: 'string', enum: ['a'] }],
    ['a type', 4711471147114711, { type: 'string' }],
    ['a format', LONG, { type: 'string', format: 'date-time' }],
    ['a rule', LONG, { type: 'string' }],
    ['a rule of a valid value', '(hidden', { type: 'string', maxLength: 7 }],
  ])('name %s that is broken, and never the value', (_, value, spec) => {
    const findings = validate(value, spec);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.join()).not.toMatch(/canary|4711|\(hidden(?!\))/);
  });

  it('quote values where nothing is hidden', () => {
    const schema = compileSchema({
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string', enum: ['b'] } } } },
    });
    const { errors } = validateResource({ ...type, metadata: { name: 'm' }, spec: { a: 'plain' } }, schema, type);
    expect(errors).toMatchObject([{ pointer: '/spec/a', detail: expect.stringContaining('"plain"') as string }]);
  });
});
