import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { parseCustomResourceDuration } from '../../core/durations.js';
import type { SchemaNode } from '../schema/schema-node.js';
import { parseDate, parseTimestamp } from '../values/timestamp.js';
import {
  CelDuration,
  CelError,
  type CelList,
  type CelMap,
  CelTimestamp,
  type CelValue,
  isMap,
  typeName,
} from './values.js';

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: [RegExp, string][] = [
  [/__underscores__/g, '__'],
  [/__dot__/g, '.'],
  [/__dash__/g, '-'],
  [/__slash__/g, '/'],
];

/** Converts a JSON value of a resource to a CEL value; members and items are converted lazily. */
export function jsonToCel(value: Json, node: SchemaNode | undefined): CelValue {
  if (value === null) return null;
  if (Array.isArray(value)) return new JsonList(value, node);
  if (isObject(value)) return new JsonMap(value, node);
  if (typeof value === 'number') {
    const isDouble = node && !node.isIntOrString && node.types.includes('number');
    return isDouble || !Number.isInteger(value) ? value : BigInt(value);
  }
  return typeof value === 'string' ? textToCel(value, node) : value;
}

function textToCel(value: string, node: SchemaNode | undefined): CelValue {
  const type = node && !node.isIntOrString && node.types.includes('string') ? node.format : undefined;
  if (type === 'duration') return new CelDuration(requireParsed(parseCustomResourceDuration(value), value));
  if (type === 'date') return new CelTimestamp(BigInt(requireParsed(parseDate(value), value)) * 1_000_000_000n);
  if (type === 'date-time') return new CelTimestamp(requireParsed(parseTimestamp(value), value));
  return type === 'byte' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
}

function requireParsed<T>(value: T | undefined, text: string): T {
  if (value === undefined) throw new CelError(`Invalid formatted string ${text}`, 'Invalid formatted string');
  return value;
}

class JsonList implements CelList {
  private converted: CelValue[] | undefined;
  readonly keyOf: ((item: CelValue) => string) | undefined;

  constructor(
    private readonly json: Json[],
    private readonly node: SchemaNode | undefined,
  ) {
    const type = node?.raw['x-kubernetes-list-type'];
    if (type === 'set') this.keyOf = keyText;
    const given = node?.raw['x-kubernetes-list-map-keys'];
    const keys = Array.isArray(given) ? given.filter((key) => typeof key === 'string') : [];
    if (type === 'map')
      this.keyOf = (item) =>
        isMap(item) ? keys.map((key) => keyText(item.get(escaped(key)) ?? null)).join('\n') : keyText(item);
  }

  get items(): CelValue[] {
    return (this.converted ??= this.json.map((item) => jsonToCel(item, this.node?.items)));
  }
}

/** An object with declared properties, whose names are escaped, or a map with arbitrary keys. */
class JsonMap implements CelMap {
  private readonly converted = new Map<string, CelValue>();

  constructor(
    private readonly json: JsonObject,
    private readonly node: SchemaNode | undefined,
  ) {}

  get size(): number {
    return Object.keys(this.json).length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') throw new CelError(`no such overload: _[_](map, ${typeof key})`);
    const name = this.isObject ? unescaped(key) : key;
    const member = Object.hasOwn(this.json, name) ? this.json[name] : undefined;
    // A declared property with the value null counts as absent; in a map, null is a value.
    if (member === undefined || (member === null && this.isObject)) return undefined;
    let value = this.converted.get(name);
    if (value === undefined) this.converted.set(name, (value = jsonToCel(member, this.schemaOf(name))));
    return value;
  }

  keys(): CelValue[] {
    return Object.keys(this.json).map((name) => (this.isObject ? escaped(name) : name));
  }

  private get isObject(): boolean {
    return this.node?.hasProperties === true;
  }

  private schemaOf(name: string): SchemaNode | undefined {
    const additional = this.node?.additional;
    return this.node?.property(name) ?? (typeof additional === 'object' ? additional : undefined);
  }
}

function escaped(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

function unescaped(name: string): string {
  const [, word = ''] = /^__(.+)__$/.exec(name) ?? [];
  if (RESERVED.has(word)) return word;
  return name.includes('__')
    ? ESCAPES.reduce((text, [escape, character]) => text.replace(escape, character), name)
    : name;
}

/** A text that identifies a scalar value, for the keys of list items. */
function keyText(value: CelValue): string {
  if (typeof value === 'bigint' || typeof value === 'number') return `number ${value}`;
  if (isMap(value))
    return value
      .keys()
      .map((key) => `${keyText(key)}: ${keyText(value.get(key) ?? null)}`)
      .join();
  return typeof value === 'object' ? typeName(value) : JSON.stringify(value);
}
