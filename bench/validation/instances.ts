import type { Json, JsonObject } from '../../src/core/json/json.js';
import { hasFormat } from '../../src/validation/values/text-formats.js';
import { SchemaSource, type SchemaNode } from '../../src/validation/schema/schema-node.js';
import type { Random } from './random.js';

const DEEPEST = 7;

/** Texts that fit most patterns and formats that definitions ask for. */
const TEXTS = [
  'a',
  'abc',
  'example',
  'example.com',
  'Abc',
  'A',
  '1',
  '10',
  '1.0.0',
  'v1',
  'v1.2.3',
  '10s',
  '1h',
  '5m',
  '10Gi',
  '100m',
  '50%',
  '10.0.0.1',
  '10.0.0.0/16',
  '::1',
  'fd00::/64',
  'https://example.com/a',
  'http://example.com',
  'https://example.com',
  'oci://example.com/a',
  '/a',
  '/',
  'a/b',
  'example.com/a',
  'a@example.com',
  '2024-01-02T03:04:05Z',
  '2024-01-02',
  'YWJj',
  'ami-0123456789abcdef0',
  'sg-01234567',
  'subnet-01234567',
  '123456789012',
  'arn:aws:iam::123456789012:role/a',
  '0 0 * * *',
  '*',
  'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'a=b',
  'TCP',
  'us-east-1',
  '1000m',
  '0.5',
  '8080',
  '1Gi',
  '1024Mi',
  '12h',
  'a.b.c',
  '#ffffff',
  '00:00:5e:00:53:01',
  '1.21',
  '1.21.3',
];

/** Makes an object of a schema: required members always, others as chance has it. */
export function instanceOf(schema: JsonObject, random: Random, share: number): Json {
  const make = (node: SchemaNode, depth: number): Json => {
    const { raw } = node;
    if (raw['default'] !== undefined && raw['default'] !== null && random.next() < 0.5)
      return structuredClone(raw['default']);
    if (node.enumeration?.length) return random.pick(node.enumeration) ?? null;
    if (node.embeds) return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    if (node.goType === 'quantity') return '1';
    if (node.goType === 'time') return '2024-01-02T03:04:05Z';
    if (node.isIntOrString) return fits(node, '1') ? '1' : 1;
    const [type] = node.types.length > 0 ? node.types : ['object'];
    if (type === 'boolean') return random.next() < 0.5;
    if (type === 'integer' || type === 'number') return numberFor(node);
    if (type === 'string') return TEXTS.find((text) => fits(node, text)) ?? 'a'.repeat(node.number('minLength') ?? 1);
    if (type === 'array') {
      const count = Math.max(node.number('minItems') ?? 0, depth < DEEPEST - 1 ? 1 : 0);
      const { items } = node;
      return items && depth < DEEPEST
        ? Array.from({ length: Math.min(count, node.number('maxItems') ?? 9) }, () => make(items, depth + 1))
        : [];
    }
    const object: JsonObject = {};
    for (const name of node.propertyNames) {
      const property = node.property(name);
      const isWanted = node.required.includes(name) || (depth < DEEPEST - 2 && random.next() < share);
      if (property && isWanted && depth < DEEPEST + 4) object[name] = make(property, depth + 1);
    }
    const { additional } = node;
    if (typeof additional === 'object' && depth < DEEPEST) object['key'] = make(additional, depth + 1);
    return object;
  };
  const root = new SchemaSource(schema).node(schema);
  const object: JsonObject = {};
  for (const name of root.propertyNames) {
    const property = root.property(name);
    if (property && !['apiVersion', 'kind', 'metadata', 'status'].includes(name)) object[name] = make(property, 1);
  }
  return object;
}

function numberFor(node: SchemaNode): number {
  const [least, most] = [node.number('minimum'), node.number('maximum')];
  const factor = node.number('multipleOf') ?? 1;
  const strict = node.raw['exclusiveMinimum'] === true ? 1 : 0;
  const value = Math.ceil(((least ?? 1) + strict) / factor) * factor;
  return most !== undefined && value > most ? most : value;
}

function fits(node: SchemaNode, text: string): boolean {
  const { pattern, format } = node;
  if (pattern !== undefined && (typeof pattern === 'string' || pattern.matches(text) !== true)) return false;
  if (format !== undefined && !hasFormat(format, text)) return false;
  return text.length >= (node.number('minLength') ?? 0) && text.length <= (node.number('maxLength') ?? Infinity);
}
