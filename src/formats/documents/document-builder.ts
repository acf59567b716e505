import { isDeepStrictEqual } from 'node:util';
import { type Fault } from '../../core/errors/app-error.js';
import { FaultList } from '../sources/fault-list.js';
import { type FormatLimits } from '../sources/format-limits.js';
import { type Json, type JsonObject, type LocatedData } from './located-document.js';
import { findLine, findLineStarts, type NodeOffsets, flattenPositions } from './source-positions.js';

/** The part of reading that YAML and JSON have in common: locating faults, and objects that are only data. */
export class DocumentBuilder {
  readonly faults: FaultList;
  private starts: number[] | undefined;
  private offsets: NodeOffsets = new Map();

  constructor(
    private readonly file: string,
    private readonly source: string,
    readonly limits: FormatLimits,
  ) {
    this.faults = new FaultList(limits.faults);
  }

  addFault(offset: number, detail: string, remedy?: string): void {
    const line = findLine(this.lineStarts, offset);
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
  buildObject(members: Iterable<{ key: string; offset: number; value: Json }>): JsonObject {
    const object: JsonObject = {};
    const places = new Map<string, number>();
    for (const { key, offset, value } of members) {
      if (key === '__proto__') {
        this.addFault(offset, 'the key "__proto__" is not accepted', 'Rename the key.');
        continue;
      }
      if (places.has(key)) {
        if (!isDeepStrictEqual(object[key], value)) {
          this.addFault(offset, `the key ${JSON.stringify(key)} is given twice`, 'Keep one of the two.');
        }
        continue;
      }
      object[key] = value;
      places.set(key, offset);
    }
    this.offsets.set(object, places);
    return object;
  }

  buildList(items: readonly { offset: number; value: Json }[]): Json[] {
    const list = items.map(({ value }) => value);
    this.offsets.set(
      list,
      items.map(({ offset }) => offset),
    );
    return list;
  }

  /** Text that can be stored: a NUL or half a surrogate pair is a fault. */
  checkText(value: string, offset: number): string {
    if (value.includes('\0')) this.addFault(offset, 'a string holds the NUL character', 'Remove it.');
    else if (/\p{Cs}/u.test(value)) this.addFault(offset, 'a string holds half a surrogate pair', 'Remove it.');
    return value;
  }

  /** Throws when there has been a fault. */
  throwIfFaulty(): void {
    this.faults.throwIfAny(this.file);
  }

  private get lineStarts(): number[] {
    return (this.starts ??= findLineStarts(this.source));
  }

  addTooDeepFault(offset: number): void {
    this.addFault(offset, `is nested deeper than ${this.limits.depth} levels`, 'Flatten the document.');
  }

  buildDocument(number: number, value: Json, start: number, tags: Record<string, string> = {}): LocatedData {
    const places = flattenPositions(value, start, this.offsets, this.lineStarts);
    this.offsets = new Map();
    return { file: this.file, number, value, positions: places, tags };
  }
}
