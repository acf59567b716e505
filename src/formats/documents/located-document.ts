import { type Fault } from '../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { parsePointer } from '../../core/json/json-pointer.js';

/** Line and column count from 1; a column counts UTF-16 units. */
export interface SourcePosition {
  line: number;
  column: number;
}

/** A document in a form that can be sent between threads. */
export interface LocatedData {
  file: string;
  /** Number of the document in its file, from 1; empty documents count. */
  number: number;
  value: Json;
  /** For each node of `value`, in the order of a walk by `Object.keys`: line, column, and the index of the next node outside of it. */
  positions: Uint32Array;
  /** Tags to keep, by pointer. */
  tags: Record<string, string>;
  /** Warnings about accepted content. */
  warnings: Fault[];
}

const NODE_SIZE = 3;
const WIDE_OBJECT_KEYS = 1000;

/** One document of a file: plain data, and the location of each part of it. */
export class LocatedDocument {
  /** Indexes of keys, for objects so wide that a linear search for each fault would take long. */
  private readonly keyIndexes = new Map<JsonObject, ReadonlyMap<string, number>>();

  constructor(readonly data: LocatedData) {}

  get file(): string {
    return this.data.file;
  }

  get number(): number {
    return this.data.number;
  }

  get value(): Json {
    return this.data.value;
  }

  /** The value as an object, or undefined when the document is anything else. */
  get object(): JsonObject | undefined {
    return isObject(this.data.value) ? this.data.value : undefined;
  }

  /**
   * The location of the member or item of an RFC 6901 pointer: the key of a member, the first character of an item.
   * For an absent one, the nearest existing parent.
   */
  findPosition(pointer: string): SourcePosition {
    const { positions: places } = this.data;
    let value: Json | undefined = this.data.value;
    let node = 0;
    for (const segment of parsePointer(pointer)) {
      if (typeof value !== 'object' || value === null) break;
      const index: number = Array.isArray(value) ? toIndex(value, segment) : this.indexOfKey(value, segment);
      if (index < 0) break;
      node += 1;
      for (let sibling = 0; sibling < index; sibling += 1) node = places[node * NODE_SIZE + 2] ?? node;
      value = Array.isArray(value) ? value[index] : value[segment];
    }
    return { line: places[node * NODE_SIZE] ?? 1, column: places[node * NODE_SIZE + 1] ?? 1 };
  }

  /** The value at an RFC 6901 pointer; undefined when there is none. */
  findValue(pointer: string): Json | undefined {
    let value: Json | undefined = this.data.value;
    for (const segment of parsePointer(pointer)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
      value = Array.isArray(value) ? value[toIndex(value, segment)] : value[segment];
    }
    return value;
  }

  private indexOfKey(value: JsonObject, key: string): number {
    const known = this.keyIndexes.get(value);
    if (known) return known.get(key) ?? -1;
    const keys = Object.keys(value);
    if (keys.length >= WIDE_OBJECT_KEYS) this.keyIndexes.set(value, new Map(keys.map((name, index) => [name, index])));
    return keys.indexOf(key);
  }

  /** The kept tag (`!reset`) of the value at a pointer. */
  findTag(pointer: string): string | undefined {
    return Object.hasOwn(this.data.tags, pointer) ? this.data.tags[pointer] : undefined;
  }

  /** A fault at a location of this document, with file, line and column filled in. */
  faultAt(pointer: string, detail: string, remedy?: string): Fault {
    const fault: Fault = { pointer, detail, file: this.file, ...this.findPosition(pointer) };
    if (remedy !== undefined) fault.remedy = remedy;
    return fault;
  }
}

function toIndex(list: Json[], segment: string): number {
  const index = /^(0|[1-9]\d*)$/.test(segment) ? Number(segment) : -1;
  return index < list.length ? index : -1;
}
