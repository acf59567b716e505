import { isDeepStrictEqual } from 'node:util';
import { type Fault } from '../../core/errors/app-error.js';
import { FaultList } from '../sources/fault-list.js';
import type { FormatLimits } from '../sources/format-limits.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import { LARGE_INTEGER_MARK, toLargeInteger } from '../../core/json/large-integers.js';
import type { LocatedData } from './located-document.js';
import { isTemplate } from './template-text.js';
import { type InexactNumber, type YamlDialect } from './yaml-scalar.js';
import { findLine, findLineStarts, type NodeOffsets, flattenPositions } from './source-positions.js';

/** The common part of reading YAML and JSON: locating faults, and creating plain objects. */
export class DocumentBuilder {
  readonly faults: FaultList;
  private warnings: FaultList;
  private starts: number[] | undefined;
  private offsets: NodeOffsets = new Map();

  constructor(
    private readonly file: string,
    private readonly source: string,
    readonly limits: FormatLimits,
    readonly dialect: YamlDialect = 'kubernetes',
  ) {
    this.faults = new FaultList(limits.faults);
    this.warnings = new FaultList(limits.faults);
  }

  addFault(offset: number, detail: string, remedy?: string): void {
    this.faults.add(this.locate(offset, detail, remedy));
  }

  private locate(offset: number, detail: string, remedy?: string): Fault {
    const line = findLine(this.lineStarts, offset);
    const fault: Fault = {
      file: this.file,
      line: line + 1,
      column: offset - (this.lineStarts[line] ?? 0) + 1,
      detail,
    };
    if (remedy !== undefined) fault.remedy = remedy;
    return fault;
  }

  /** Whether the line of an offset has the braces of a template. */
  isTemplateAt(offset: number): boolean {
    return isTemplate(this.source, offset);
  }

  /**
   * Creates an object from members. A key that would reach the prototype is a fault, and so is a duplicate with a different value; in a
   * rendering the last one counts, with a warning.
   */
  buildObject(members: Iterable<{ key: string; offset: number; value: Json }>): JsonObject {
    const object: JsonObject = {};
    const places = new Map<string, number>();
    for (const { key, offset, value } of members) {
      if (key === '__proto__') {
        this.addFault(offset, 'the key "__proto__" is not accepted', 'Rename the key.');
        continue;
      }
      if (places.has(key)) {
        const detail = `the key ${JSON.stringify(key)} is given twice`;
        if (isDeepStrictEqual(object[key], value)) continue;
        if (this.dialect !== 'rendered') {
          this.addFault(offset, detail, 'Keep one of the two.');
          continue;
        }
        this.warnings.add(this.locate(offset, `${detail}; the last one counts`, 'Keep one of the two.'));
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

  /**
   * The representation of a number that no double holds: text in Compose, which accepts numbers as text, and the digits of an integer elsewhere. Others
   * are faults, unless the reader rounds numbers.
   */
  keepInexactNumber(number: InexactNumber, offset: number): Json {
    if (this.limits.roundNumbers && Number.isFinite(number.nearest)) return number.nearest;
    if (this.dialect === 'core') return number.text;
    const kept = toLargeInteger(number.text);
    if (kept !== undefined) return kept;
    this.addFault(offset, number.message, 'Quote it if it is a name or an identifier.');
    return null;
  }

  /** Text that can be stored: a NUL, an unpaired surrogate or the marker of large integers is a fault. */
  checkText(value: string, offset: number): string {
    if (value.startsWith(LARGE_INTEGER_MARK))
      this.addFault(offset, 'a string begins with the private character U+F8FF', 'Remove it.');
    else if (value.includes('\0')) this.addFault(offset, 'a string holds the NUL character', 'Remove it.');
    else if (!value.isWellFormed()) this.addFault(offset, 'a string holds half a surrogate pair', 'Remove it.');
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
    const { faults: warnings } = this.warnings;
    this.warnings = new FaultList(this.limits.faults);
    return { file: this.file, number, value, positions: places, tags, warnings };
  }
}
