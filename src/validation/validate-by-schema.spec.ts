import type { Json, JsonObject } from '../core/json/json.js';
import { validateBySchema, type ValidationOptions } from './validate-by-schema.js';

const TYPE = { apiVersion: 'example.com/v1', kind: 'Thing' };
const THING = { ...TYPE, metadata: { name: 'thing' } };

/** Validates a spec against its schema. */
function ofSpec(spec: Json, schema: JsonObject, options: ValidationOptions = {}): ReturnType<typeof validateBySchema> {
  return validateBySchema(
    { ...THING, spec },
    { type: 'object', properties: { spec: schema } },
    { type: TYPE, ...options },
  );
}

const places = (findings: { pointer: string; keyword: string }[]): string[] =>
  findings.map(({ pointer, keyword }) => `${keyword} ${pointer}`);

describe('a custom resource', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1 },
      mode: { type: 'string', enum: ['fast', 'slow'], default: 'fast' },
      'a/b': { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    },
  };

  it('gets its errors with pointers and the messages of Kubernetes', () => {
    const { errors } = ofSpec({ size: 0, mode: 'x', 'a/b': [{ name: 'a' }, {}] }, schema);
    expect(errors).toEqual([
      {
        pointer: '/spec/size',
        keyword: 'minimum',
        detail: 'Invalid value: 0: spec.size in body should be greater than or equal to 1',
      },
      { pointer: '/spec/mode', keyword: 'enum', detail: 'Unsupported value: "x": supported values: "fast", "slow"' },
      { pointer: '/spec/a~1b/1/name', keyword: 'required', detail: 'Required value' },
    ]);
  });

  it('is warned of fields that would be dropped, and they are not validated', () => {
    const { errors, warnings } = ofSpec({ size: 1, other: { deep: 1 }, 'a/b': [{ name: 'a', x: 1 }] }, schema);
    expect(errors).toEqual([]);
    expect(places(warnings)).toEqual(['unknown-field /spec/other', 'unknown-field /spec/a~1b/0/x']);
  });

  it('has null taken for nothing where a field may not be null', () => {
    expect(places(ofSpec({ size: null, mode: null }, schema).errors)).toEqual(['required /spec/size']);
  });

  it('is of the type that is asked for, and has a name unless it is a part of something', () => {
    const other = { apiVersion: 'example.com/v2', kind: 'Thing', metadata: {}, spec: { size: 1 } };
    const whole = { type: 'object', properties: { spec: schema } };
    expect(places(validateBySchema(other, whole, { type: TYPE }).errors)).toEqual([
      'apiVersion /apiVersion',
      'metadata /metadata/name',
    ]);
    expect(validateBySchema({ ...other, ...TYPE }, whole, { type: TYPE, embedded: true }).errors).toEqual([]);
  });

  it('has its metadata validated as ObjectMeta', () => {
    const metadata = {
      name: 'Thing',
      labels: { 'a b': 'c', d: 'e f' },
      annotations: { 'x//y': '' },
      finalizers: ['a b'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a' }],
      colour: 'red',
    };
    const { errors, warnings } = validateBySchema({ ...TYPE, metadata }, { type: 'object' }, { type: TYPE });
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/metadata/name',
      '/metadata/labels',
      '/metadata/labels/d',
      '/metadata/annotations',
      '/metadata/finalizers/0',
      '/metadata/ownerReferences/0/uid',
    ]);
    expect(places(warnings)).toEqual(['unknown-field /metadata/colour']);
    expect(
      places(
        validateBySchema({ ...TYPE, metadata: { name: 'a', labels: { a: 1 } } }, { type: 'object' }, { type: TYPE })
          .errors,
      ),
    ).toEqual(['metadata /metadata/labels/a']);
  });

  it('follows references, in circles too', () => {
    const tree = {
      ...{ type: 'object', properties: { spec: { $ref: '#/$defs/node' } } },
      $defs: { node: { type: 'object', properties: { left: { $ref: '#/$defs/node' }, value: { type: 'integer' } } } },
    };
    const spec = { value: 1, left: { value: 'x', left: { value: 2, right: {} } } };
    const { errors, warnings } = validateBySchema({ ...THING, spec }, tree, { type: TYPE });
    expect(places(errors)).toEqual(['type /spec/left/value']);
    expect(places(warnings)).toEqual(['unknown-field /spec/left/left/right']);
  });

  it('runs rules only when nothing stands in their way, with message, fieldPath and reason', () => {
    const rules: JsonObject[] = [
      { rule: 'self.min <= self.max', messageExpression: "'min is over ' + string(self.max)", fieldPath: '.min' },
      { rule: 'self.min == oldSelf.min' },
      { rule: 'self.max < 100', message: 'too much', reason: 'FieldValueForbidden' },
    ];
    const ranged = {
      ...{ type: 'object', required: ['min'], 'x-kubernetes-validations': rules },
      properties: { min: { type: 'integer' }, max: { type: 'integer' } },
    };
    expect(ofSpec({ min: 200, max: 150 }, ranged).errors).toEqual([
      { pointer: '/spec/min', keyword: 'x-kubernetes-validations', detail: 'Invalid value: min is over 150' },
      { pointer: '/spec', keyword: 'x-kubernetes-validations', detail: 'Forbidden: too much' },
    ]);
    expect(places(ofSpec({ max: 150 }, ranged).errors)).toEqual(['required /spec/min']);
  });

  it('is warned of rules that cannot be run, and not refused for them', () => {
    const { errors, warnings } = ofSpec('a', {
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'authorizer.path("/").check("get").allowed()' }],
    });
    expect(errors).toEqual([]);
    expect(warnings[0]?.detail).toMatch(/^CEL rule not evaluated: authorizer/);
  });
});

describe('a schema that is not of Kubernetes', () => {
  it('validates a value as it is, without metadata', () => {
    const pet = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' } },
      additionalProperties: false,
    };
    expect(places(validateBySchema({ colour: 'red' }, pet).errors)).toEqual([
      'required /name',
      'additionalProperties /colour',
    ]);
    expect(validateBySchema({ name: 'Rex' }, pet)).toEqual({ errors: [], warnings: [] });
  });

  it('may be one of a resource all the same', () => {
    const foreign = { type: 'object', properties: { spec: { patternProperties: { '^x-': { type: 'string' } } } } };
    const { errors } = validateBySchema({ ...THING, metadata: {}, spec: { 'x-a': 1 } }, foreign, { type: TYPE });
    expect(places(errors)).toEqual(['metadata /metadata/name', 'type /spec/x-a']);
  });
});
