import { type Fault } from '../../../core/errors/app-error.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { findLine, findLineStarts } from '../../../formats/documents/source-positions.js';
import { InterpolationError, Interpolator } from './interpolation.js';

export interface Dotenv {
  values: Map<string, string>;
  /** The location where each value is set. */
  lines: Map<string, number>;
  faults: Fault[];
}

export interface DotenvOptions {
  /** Variables that take precedence inside expressions and fill names without a value. */
  inherited?: ReadonlyMap<string, string>;
  /** `raw`: no quotes, no interpolation (`env_file` with `format: raw`). */
  format?: string;
}

/** Reading stops after this many faults. */
const MAX_FAULTS = 100;

const key = /[A-Za-z0-9_.[\]-]+/y;
const blank = /[ \t]*/y;
const closing = { "'": /((?:[^'\\]|\\[^])*)'/y, '"': /((?:[^"\\]|\\[^])*)"/y } as const;
const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$$' };

/** Reads a `.env` file as Compose does: `export`, comments, three kinds of quoting, values over several lines, interpolation from above. */
export function parseDotenv(source: SourceFile, options: DotenvOptions = {}): Dotenv {
  return new DotenvParser(source, options).read();
}

class DotenvParser {
  private readonly text: string;
  private readonly lineStarts: readonly number[];
  private readonly values = new Map<string, string>();
  private readonly lines = new Map<string, number>();
  private readonly faults: Fault[] = [];
  private readonly interpolator = new Interpolator({
    get: (name) => this.options.inherited?.get(name) ?? this.values.get(name),
  });
  private at = 0;

  constructor(
    private readonly source: SourceFile,
    private readonly options: DotenvOptions,
  ) {
    this.text = new TextDecoder().decode(source.bytes).replaceAll('\r\n', '\n');
    this.lineStarts = findLineStarts(this.text);
  }

  read(): Dotenv {
    while (this.at < this.text.length && this.faults.length < MAX_FAULTS) {
      this.consume(/\s*/y);
      if (this.at >= this.text.length) break;
      if (this.text[this.at] === '#') this.consume(/[^\n]*/y);
      else this.entry();
    }
    return { values: this.values, lines: this.lines, faults: this.faults };
  }

  private entry(): void {
    const start = this.at;
    this.consume(/export[ \t]+/y);
    const variable = this.consume(key);
    this.consume(blank);
    const next = this.text[this.at];
    if (variable === '' || (next !== '=' && next !== ':' && next !== '\n' && next !== '#' && next !== undefined)) {
      this.fault(
        start,
        'is not of the form NAME=value',
        'Names have letters, digits, "_", "." and "-", and no spaces.',
      );
      this.consume(/[^\n]*/y);
    } else if (next === '=' || next === ':') {
      this.at += 1;
      const value = this.options.format === 'raw' ? this.consume(/[^\n]*/y) : this.value(start);
      if (value !== undefined) {
        this.values.set(variable, value);
        this.lines.set(variable, this.lineAt(start));
      }
    } else {
      const inherited = this.options.inherited?.get(variable);
      if (inherited !== undefined) this.values.set(variable, inherited);
    }
  }

  private value(start: number): string | undefined {
    this.consume(blank);
    const quote = this.text[this.at];
    if (quote !== "'" && quote !== '"') {
      const plain = this.consume(/[^\n]*/y);
      return this.interpolate(start, plain.replace(/(^|\s)#.*$/, '').trim());
    }
    this.at += 1;
    const quoted = this.consume(closing[quote]);
    if (quoted === '') {
      this.fault(start, `has no closing ${quote}`, 'Close the quote, or leave both out.');
      this.consume(/[^\n]*/y);
      return undefined;
    }
    const rest = this.consume(/[^\n]*/y);
    const inside = quoted.slice(0, -1);
    if (inside.includes('\n') && !/^\s*(?:#.*)?$/.test(rest)) {
      const detail = `has a ${quote} that is closed only in line ${this.lineAt(this.at)}, where more text follows`;
      this.fault(start, detail, 'Close the quote in its own line.');
      return undefined;
    }
    if (quote === "'") return inside.replaceAll("\\'", "'");
    return this.interpolate(
      start,
      inside.replace(/\\([^])/g, (whole, char: string) => escapes[char] ?? whole),
    );
  }

  private interpolate(start: number, text: string): string {
    try {
      return this.interpolator.interpolate(text);
    } catch (error) {
      if (!(error instanceof InterpolationError)) throw error;
      this.fault(start, error.message, error.remedy);
      return '';
    }
  }

  private consume(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private fault(at: number, detail: string, remedy: string): void {
    const line = this.lineAt(at);
    const column = at - (this.lineStarts[line - 1] ?? 0) + 1;
    this.faults.push({ file: this.source.path, line, column, detail, remedy });
  }

  private lineAt(at: number): number {
    return findLine(this.lineStarts, at) + 1;
  }
}
