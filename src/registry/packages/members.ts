import { type Fault } from '../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, pointerTo } from '../../formats/located.js';

const ZERO_ID = '00000000-0000-0000-0000-000000000000';
const TIMES = new Set(['created_at', 'updated_at', 'deleted_at', 'createdAt', 'updatedAt', 'deletedAt']);
const LONGEST_NAME = 255;

/**
 * An object of a definition, read member by member: it says what is wrong with those that are asked for, and keeps those that nobody asks for.
 * What is null or blank counts as absent: that is how most tools write what they do not have.
 */
export class Members {
  private readonly known = new Set<string>();

  constructor(
    private readonly object: JsonObject,
    private readonly pointer: string,
    private readonly faults: Fault[],
  ) {}

  fault(name: string, detail: string, remedy: string): void {
    this.faults.push({ pointer: this.pointer + pointerTo(name), detail: `${name} ${detail}`, remedy });
  }

  /** The text under the first of these names that has some; empty when none has. */
  text(...names: [string, ...string[]]): string {
    const { name, value } = this.first(names);
    if (value === undefined || typeof value === 'string') return value ?? '';
    this.fault(name, `is ${describe(value)}, not text`, 'Write it in quotes.');
    return '';
  }

  /** Text that must be there and can be a name of something. `remedy` tells what is asked for. */
  name(name: string, remedy: string): string {
    if (this.value(name) === undefined) this.fault(name, 'is missing', remedy);
    const text = this.text(name);
    this.mustBeName(name, text);
    return text;
  }

  mustBeName(name: string, text: string): void {
    if (text.length > LONGEST_NAME) this.fault(name, `is longer than ${LONGEST_NAME} characters`, 'Shorten it.');
    else if (/\p{Cc}/u.test(text)) this.fault(name, 'has a control character in it', 'Remove it.');
  }

  objectAt(name: string): JsonObject | undefined {
    const value = this.value(name);
    if (value === undefined || isObject(value)) return value;
    this.fault(name, `is ${describe(value)}, not an object`, 'Write it as an object, or leave it out.');
    return undefined;
  }

  list(name: string): JsonObject[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(isObject)) return value;
    this.fault(name, `is ${describe(value)}, not a list of objects`, 'Write it as a list, or leave it out.');
    return undefined;
  }

  /** The members of the object under this name; of an absent one, none. */
  within(name: string): Members {
    return new Members(this.objectAt(name) ?? {}, this.pointer + pointerTo(name), this.faults);
  }

  /** Whatever stands under this name, unless it is nothing. */
  value(name: string): Json | undefined {
    return this.first([name]).value;
  }

  /** What these members say is known from elsewhere, so they are not kept. */
  drop(...names: string[]): void {
    for (const name of names) this.known.add(name);
  }

  /** What nobody asked for, without times, ids of nobody and nulls. */
  rest(): JsonObject {
    const rest = Object.entries(this.object).filter(
      ([name, value]) => !this.known.has(name) && !TIMES.has(name) && value !== null && value !== ZERO_ID,
    );
    return Object.fromEntries(rest);
  }

  private first(names: [string, ...string[]]): { name: string; value: Json | undefined } {
    this.drop(...names);
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
