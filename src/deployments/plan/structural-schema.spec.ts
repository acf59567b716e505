import { type StructuralSchema, structuralFaults } from './structural-schema.js';

const schema: StructuralSchema = {
  type: 'object',
  required: ['spec'],
  properties: {
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      required: ['size', 'filled'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9 },
        filled: { type: 'string', default: 'x' },
        colour: { type: 'string', enum: ['red', 'blue'] },
        port: { 'x-kubernetes-int-or-string': true },
        maybe: { type: 'string', nullable: true },
        name: { type: 'string', minLength: 2, maxLength: 3 },
        list: {
          type: 'array',
          minItems: 1,
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};

const faults = (spec: unknown) =>
  structuralFaults(schema, { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec }).map(
    ({ field, detail }) => `${field} ${detail}`,
  );

describe('A structural schema', () => {
  it('lets through what it allows, and what it does not speak of', () => {
    const spec = {
      size: 3,
      colour: 'red',
      port: '80',
      maybe: null,
      name: 'ab',
      list: [{ name: 'a' }],
      labels: { a: 'b' },
      free: { x: [1] },
      unknown: 1,
    };
    expect(faults(spec)).toEqual([]);
    expect(faults({ size: 1, port: 80 })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['spec must be of type object', 'text'],
    ['spec.size is required', {}],
    ['spec.size must be of type integer', { size: 1.5 }],
    ['spec.size must be at least 1', { size: 0 }],
    ['spec.size must be at most 9', { size: 10 }],
    ['spec.colour must be one of red, blue', { size: 1, colour: 'green' }],
    ['spec.port must be an integer or a string', { size: 1, port: 1.5 }],
    ['spec.colour must not be null', { size: 1, colour: null }],
    ['spec.name must have a length of at least 2', { size: 1, name: 'a' }],
    ['spec.list must have a number of items of at least 1', { size: 1, list: [] }],
    ['spec.list[1].name is required', { size: 1, list: [{ name: 'a' }, {}] }],
    ['spec.labels.a must be of type string', { size: 1, labels: { a: 1 } }],
  ])('finds that %s', (fault, spec) => {
    expect(faults(spec)).toEqual([fault]);
  });

  it('misses the whole spec', () => {
    expect(structuralFaults(schema, {})).toEqual([{ field: 'spec', detail: 'is required' }]);
  });
});
