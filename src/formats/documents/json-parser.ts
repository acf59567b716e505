import { DocumentBuilder } from './document-builder.js';
import { type FormatLimits } from '../sources/format-limits.js';
import type { Json } from '../../core/json/json.js';
import type { LocatedData } from './located-document.js';
import { toExactInteger, InexactNumber, type YamlDialect } from './yaml-scalar.js';

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y; // eslint-disable-line no-control-regex -- RFC 8259 section 7
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const WHITESPACE = /[ \t\n\r]*/y;
/** Lines of `---` between documents. */
const SEPARATORS = /(?:(?<=[\n\r]|^)---[ \t]*(?:[\n\r]+[ \t\n\r]*|$))+/y;
const LITERALS = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Thrown where the text stops being JSON. */
export class JsonSyntaxError extends Error {
  constructor(
    readonly offset: number,
    detail: string,
  ) {
    super(detail);
  }
}

/**
 * Reads one JSON document (RFC 8259, no comments, no trailing commas) with positions.
 * Throws JsonSyntaxError when it is not JSON, and InvalidRequest with each fault when it is JSON that is not accepted.
 */
export function parseJson(
  file: string,
  text: string,
  limits: FormatLimits,
  dialect: YamlDialect = 'kubernetes',
): LocatedData {
  const reader = new JsonParser(text, new DocumentBuilder(file, text, limits, dialect));
  return reader.parse();
}

/**
 * As parseJson for a file of several documents, as `kubectl` accepts it: one after another, on separate lines or not, with
 * or without lines of `---` in between.
 */
export function parseJsonDocuments(
  file: string,
  text: string,
  limits: FormatLimits,
  dialect: YamlDialect = 'kubernetes',
): LocatedData[] {
  return new JsonParser(text, new DocumentBuilder(file, text, limits, dialect)).parseAll();
}

class JsonParser {
  private at = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly builder: DocumentBuilder,
  ) {}

  parse(): LocatedData {
    const document = this.document(1);
    if (this.at < this.text.length) throw this.trailing();
    this.builder.throwIfFaulty();
    return document;
  }

  parseAll(): LocatedData[] {
    const documents = [this.document(1)];
    const { documents: most } = this.builder.limits;
    while (this.skipSeparators()) {
      if (!/[{[]/.test(this.text[this.at] ?? '')) throw this.trailing();
      if (documents.length === most) {
        this.builder.addFault(this.at, `has more than ${most} documents`, 'Split the file.');
        break;
      }
      documents.push(this.document(documents.length + 1));
    }
    this.builder.throwIfFaulty();
    return documents;
  }

  private document(number: number): LocatedData {
    this.skipSpace();
    const start = this.at;
    const value = this.value(1);
    this.skipSpace();
    return this.builder.buildDocument(number, value, start);
  }

  /** Moves to the next document. @returns false at the end of the text */
  private skipSeparators(): boolean {
    SEPARATORS.lastIndex = this.at;
    if (SEPARATORS.exec(this.text)) this.at = SEPARATORS.lastIndex;
    return this.at < this.text.length;
  }

  private trailing(): JsonSyntaxError {
    return new JsonSyntaxError(this.at, 'there is more text after the end of the document');
  }

  private value(depth: number): Json {
    this.countValue();
    const char = this.text[this.at];
    if (char === '{' || char === '[') {
      if (depth > this.builder.limits.depth) {
        this.builder.addTooDeepFault(this.at);
        this.builder.throwIfFaulty();
      }
      return char === '{' ? this.object(depth) : this.list(depth);
    }
    if (char === '"') return this.string();
    for (const [word, value] of LITERALS) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    return this.number();
  }

  private countValue(): void {
    const { tokens } = this.builder.limits;
    this.values += 1;
    if (this.values <= tokens) return;
    this.builder.addFault(this.at, `has more than ${tokens} values`, 'Split the file.');
    this.builder.throwIfFaulty();
  }

  private object(depth: number): Json {
    const members: { key: string; offset: number; value: Json }[] = [];
    this.at += 1;
    for (this.skipSpace(); !this.closes('}', members.length > 0); this.skipSpace()) {
      const offset = this.at;
      const key = this.string();
      this.skipSpace();
      this.expect(':');
      this.skipSpace();
      members.push({ key, offset, value: this.value(depth + 1) });
    }
    return this.builder.buildObject(members);
  }

  private list(depth: number): Json {
    const items: { offset: number; value: Json }[] = [];
    this.at += 1;
    for (this.skipSpace(); !this.closes(']', items.length > 0); this.skipSpace()) {
      items.push({ offset: this.at, value: this.value(depth + 1) });
    }
    return this.builder.buildList(items);
  }

  /** True at the closing bracket; otherwise moves to the next member, after the comma when one is due. */
  private closes(bracket: string, afterMember: boolean): boolean {
    if (this.text[this.at] === bracket) {
      this.at += 1;
      return true;
    }
    if (afterMember) {
      if (this.text[this.at] !== ',') throw this.unexpected(`"," or "${bracket}"`);
      this.at += 1;
      this.skipSpace();
    }
    return false;
  }

  private string(): string {
    STRING.lastIndex = this.at;
    const match = STRING.exec(this.text);
    if (!match) {
      throw this.text[this.at] === '"'
        ? new JsonSyntaxError(this.at, 'this string is not closed, or holds an escape that JSON does not have')
        : this.unexpected('a string in double quotes');
    }
    const offset = this.at;
    this.at = STRING.lastIndex;
    return this.builder.checkText(JSON.parse(match[0]) as string, offset);
  }

  private number(): Json {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (!match) throw this.unexpected('a value');
    const offset = this.at;
    this.at = NUMBER.lastIndex;
    try {
      const value = match[1] || match[2] ? Number(match[0]) : toExactInteger(match[0]);
      if (!Number.isFinite(value)) throw new InexactNumber(match[0]);
      return value === 0 ? 0 : value;
    } catch (error) {
      if (!(error instanceof InexactNumber)) throw error;
      return this.builder.keepInexactNumber(error, offset);
    }
  }

  private expect(char: string): void {
    if (this.text[this.at] !== char) throw this.unexpected(`"${char}"`);
    this.at += 1;
  }

  private skipSpace(): void {
    WHITESPACE.lastIndex = this.at;
    WHITESPACE.exec(this.text);
    this.at = WHITESPACE.lastIndex;
  }

  private unexpected(wanted: string): JsonSyntaxError {
    const found = this.text[this.at];
    return new JsonSyntaxError(
      this.at,
      `${wanted} is expected, ${found === undefined ? 'the file ends' : `not "${found}"`}`,
    );
  }
}
