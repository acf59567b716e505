import { isDeepStrictEqual } from 'node:util';
import { type Fault } from '../core/errors/app-error.js';
import { FaultList } from './fault-list.js';
import { type FormatLimits } from './limits.js';
import { type Json, type JsonObject, type LocatedData } from './located.js';
import { lineOf, lineStartsOf, type Offsets, placesOf } from './places.js';

/** The part of reading that YAML and JSON have in common: locating faults, and objects that are only data. */
export class DocumentBuilder {
  readonly faults: FaultList;
  private starts: number[] | undefined;
  private offsets: Offsets = new Map();

  constructor(
    private readonly file: string,
    private readonly source: string,
    readonly limits: FormatLimits,
  ) {
    this.faults = new FaultList(limits.faults);
  }

  fault(offset: number, detail: string, remedy?: string): void {
    const line = lineOf(this.lineStarts, offset);
    const fault: Fault = {
      file: this.file,
      line: line + 1,
      column: offset - (this.lineStarts[line] ?? 0) + 1,
      detail,
    };
    if (remedy !== undefined) fault.remedy = remedy;
    this.faults.add(fault);
  }

  /** Makes an object of members; a key that comes twice with different values, or that would reach the prototype, is a fault. */
  object(members: Iterable<{ key: string; offset: number; value: Json }>): JsonObject {
    const object: JsonObject = {};
    const places = new Map<string, number>();
    for (const { key, offset, value } of members) {
      if (key === '__proto__') {
        this.fault(offset, 'the key "__proto__" is not accepted', 'Rename the key.');
        continue;
      }
      if (places.has(key)) {
        if (!isDeepStrictEqual(object[key], value)) {
          this.fault(offset, `the key ${JSON.stringify(key)} is given twice`, 'Keep one of the two.');
        }
        continue;
      }
      object[key] = value;
      places.set(key, offset);
    }
    this.offsets.set(object, places);
    return object;
  }

  list(items: readonly { offset: number; value: Json }[]): Json[] {
    const list = items.map(({ value }) => value);
    this.offsets.set(
      list,
      items.map(({ offset }) => offset),
    );
    return list;
  }

  /** Text that can be stored: a NUL or half a surrogate pair is a fault. */
  text(value: string, offset: number): string {
    if (value.includes('\0')) this.fault(offset, 'a string holds the NUL character', 'Remove it.');
    else if (/\p{Cs}/u.test(value)) this.fault(offset, 'a string holds half a surrogate pair', 'Remove it.');
    return value;
  }

  /** Throws when there has been a fault. */
  raise(): void {
    this.faults.raise(this.file);
  }

  private get lineStarts(): number[] {
    return (this.starts ??= lineStartsOf(this.source));
  }

  tooDeep(offset: number): void {
    this.fault(offset, `is nested deeper than ${this.limits.depth} levels`, 'Flatten the document.');
  }

  document(number: number, value: Json, start: number, tags: Record<string, string> = {}): LocatedData {
    const places = placesOf(value, start, this.offsets, this.lineStarts);
    this.offsets = new Map();
    return { file: this.file, number, value, places, tags };
  }
}
