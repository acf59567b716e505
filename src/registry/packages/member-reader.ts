import { type Fault } from '../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';

const ZERO_ID = '00000000-0000-0000-0000-000000000000';
const TIMESTAMP_MEMBERS = new Set(['created_at', 'updated_at', 'deleted_at', 'createdAt', 'updatedAt', 'deletedAt']);
const MAX_NAME_LENGTH = 255;

/**
 * Reads an object of a definition member by member: it reports the faults of the members that are read, and keeps the others.
 * Null and blank values count as absent, because most tools write them for missing values.
 */
export class MemberReader {
  private readonly known = new Set<string>();

  constructor(
    private readonly object: JsonObject,
    private readonly pointer: string,
    private readonly faults: Fault[],
  ) {}

  addFault(name: string, detail: string, remedy: string): void {
    this.faults.push({ pointer: this.pointer + toPointer(name), detail: `${name} ${detail}`, remedy });
  }

  /** The text under the first of these names that has one; empty without any. */
  readText(...names: [string, ...string[]]): string {
    const { name, value } = this.readFirst(names);
    if (value === undefined || typeof value === 'string') return value ?? '';
    this.addFault(name, `is ${describe(value)}, not text`, 'Write it in quotes.');
    return '';
  }

  /** Required text that is valid as a name. `remedy` describes what is required. */
  readName(name: string, remedy: string): string {
    if (this.readValue(name) === undefined) this.addFault(name, 'is missing', remedy);
    const text = this.readText(name);
    this.checkName(name, text);
    return text;
  }

  checkName(name: string, text: string): void {
    if (text.length > MAX_NAME_LENGTH)
      this.addFault(name, `is longer than ${MAX_NAME_LENGTH} characters`, 'Shorten it.');
    else if (/\p{Cc}/u.test(text)) this.addFault(name, 'has a control character in it', 'Remove it.');
  }

  readObject(name: string): JsonObject | undefined {
    const value = this.readValue(name);
    if (value === undefined || isObject(value)) return value;
    this.addFault(name, `is ${describe(value)}, not an object`, 'Write it as an object, or leave it out.');
    return undefined;
  }

  readObjectList(name: string): JsonObject[] | undefined {
    const value = this.readValue(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(isObject)) return value;
    this.addFault(name, `is ${describe(value)}, not a list of objects`, 'Write it as a list, or leave it out.');
    return undefined;
  }

  /** The members of the object under this name; none if absent. */
  nested(name: string): MemberReader {
    return new MemberReader(this.readObject(name) ?? {}, this.pointer + toPointer(name), this.faults);
  }

  /** Any value under this name that is not null or blank. */
  readValue(name: string): Json | undefined {
    return this.readFirst([name]).value;
  }

  /** The values of these members are known from elsewhere, so they are not kept. */
  ignore(...names: string[]): void {
    for (const name of names) this.known.add(name);
  }

  /** The members that were not read, without times, nil ids and nulls. */
  unreadMembers(): JsonObject {
    const rest = Object.entries(this.object).filter(
      ([name, value]) => !this.known.has(name) && !TIMESTAMP_MEMBERS.has(name) && value !== null && value !== ZERO_ID,
    );
    return Object.fromEntries(rest);
  }

  private readFirst(names: [string, ...string[]]): { name: string; value: Json | undefined } {
    this.ignore(...names);
    for (const name of names) {
      const value = Object.hasOwn(this.object, name) ? this.object[name] : undefined;
      if (value != null && !(typeof value === 'string' && value.trim() === '')) return { name, value };
    }
    return { name: names[0], value: undefined };
  }
}

function describe(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
