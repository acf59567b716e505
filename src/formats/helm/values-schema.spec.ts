import type { JsonObject } from '../../core/json/json.js';
import { removeRemoteSchemas } from './values-schema.js';

const sent = (schema: string, path = 'values.schema.json'): JsonObject =>
  JSON.parse(
    Buffer.from(removeRemoteSchemas(path, { path: `x/${path}`, bytes: Buffer.from(schema) })).toString(),
  ) as JsonObject;

describe('a schema of values', () => {
  it('keeps what refers to itself, and nothing that would be fetched or read', () => {
    const schema = {
      $schema: 'https://example.org/own',
      $id: 'https://example.org/values.json',
      $defs: { port: { type: 'integer' } },
      properties: {
        port: { $ref: '#/$defs/port' },
        disk: { $ref: 'file:///etc/passwd', type: 'string' },
        near: { $ref: 'other.json#/a' },
        far: { allOf: [{ $ref: 'http://127.0.0.1/a' }, { $dynamicRef: 'http://127.0.0.1/b' }] },
        $ref: { type: 'string' },
      },
    };
    expect(sent(JSON.stringify(schema), 'charts/sub/values.schema.json')).toEqual({
      $id: 'https://example.org/values.json',
      $defs: { port: { type: 'integer' } },
      properties: {
        port: { $ref: '#/$defs/port' },
        disk: { type: 'string' },
        near: {},
        far: { allOf: [{}, {}] },
        $ref: { type: 'string' },
      },
    });
    for (const $schema of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])
      expect(sent(JSON.stringify({ $schema }))).toEqual({ $schema });
  });

  it('is refused when it is not JSON, and other files are left alone', () => {
    expect(() => sent('{a: 1}')).toThrow('x/values.schema.json is not JSON');
    expect(sent('{"$ref": "file:///a"}', 'files/other.json')).toEqual({ $ref: 'file:///a' });
  });
});
