import { truncate, type Fault, MAX_FAULTS } from '../errors/app-error.js';
import { listFaults } from '../errors/problem.js';
import { PackedJson } from './packed-json.js';

/** The maximum nesting of a body: more than any design needs, and far below the recursion limit. */
export const MAX_JSON_DEPTH = 200;
/** The maximum length of a pointer, which contains the caller's property names. */
const MAX_POINTER_LENGTH = 500;

/**
 * Finds the parts of a parsed body or query that cannot be stored: strings with NUL or lone surrogates, non-finite
 * numbers, and excessive nesting. Each fault has a pointer; the time is linear in the size of the value.
 */
export function findUnstorableParts(value: unknown, pointer: string): Fault[] {
  return new Inspection(pointer.replace(/\/$/, '')).inspect(value);
}

export const escapePointerSegment = (key: string): string => key.replace(/~/g, '~0').replace(/\//g, '~1');

/** Returns why a string cannot be stored; undefined when it can. */
export function findTextFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  return text.isWellFormed() ? undefined : 'must not contain half of a surrogate pair';
}

class TooDeep extends Error {}

class Inspection {
  private readonly faults: Fault[] = [];
  private readonly path: string[] = [];
  private omitted = 0;

  constructor(private readonly root: string) {}

  inspect(value: unknown): Fault[] {
    try {
      this.visit(value);
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error;
      return [{ pointer: this.pointer(), detail: `is nested deeper than ${MAX_JSON_DEPTH} levels` }];
    }
    return listFaults(this.faults, this.omitted);
  }

  private visit(value: unknown): void {
    if (typeof value === 'string') this.add(findTextFault(value));
    else if (typeof value === 'number')
      this.add(Number.isFinite(value) ? undefined : 'must be a number that JSON can hold');
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) this.descend(String(index), item);
    else if (value instanceof PackedJson) for (const { pointer, detail } of value.faults) this.add(detail, pointer);
    else if (typeof value === 'object' && value !== null) this.object(Object.entries(value));
  }

  private object(members: [string, unknown][]): void {
    for (const [key] of members) {
      const fault = findTextFault(key);
      if (fault) this.add(`has a name that ${fault}`, `/${escapePointerSegment(key)}`);
    }
    for (const [key, member] of members) this.descend(key, member);
  }

  private descend(key: string, value: unknown): void {
    if (this.path.length === MAX_JSON_DEPTH && typeof value === 'object' && value !== null) throw new TooDeep();
    this.path.push(key);
    this.visit(value);
    this.path.pop();
  }

  private add(detail: string | undefined, below = ''): void {
    if (detail === undefined) return;
    if (this.faults.length === MAX_FAULTS) this.omitted += 1;
    else this.faults.push({ pointer: this.pointer(below), detail });
  }

  private pointer(below = ''): string {
    const path = [this.root, ...this.path.map(escapePointerSegment)].join('/') + below;
    return truncate(path, MAX_POINTER_LENGTH).toWellFormed().replaceAll('\0', '\\u0000');
  }
}
