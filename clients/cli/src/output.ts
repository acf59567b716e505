import type { Terminal } from './terminal.js';
import { styled, withoutStyles } from './terminal.js';
import { WrongUse } from './failure.js';
import { parseJsonPath } from './jsonpath.js';

/** A column of a table: its heading, and its text of a record. */
export type Column<T> = [heading: string, text: (record: T) => string | number | boolean | null | undefined];

/** How a result is printed. */
export interface Shown<T> {
  /** Prints it for people. */
  table: (record: T) => string;
  /** `kind/name` of it, one a line; formats without it have none. */
  name: (record: T) => string[];
  /** Whether a pager shows it where the terminal has too few lines. */
  isLong?: boolean;
}

export type Format = 'table' | 'json' | 'yaml' | 'name' | 'jsonpath';

/** Prints results in the form that -o chooses. */
export class Output {
  readonly format: Format;
  private readonly select: ((data: unknown) => string) | null = null;

  constructor(
    private readonly terminal: Terminal,
    given = 'table',
  ) {
    const [format, ...rest] = given.split('=');
    const template = rest.join('=');
    if (format === 'jsonpath' && template !== '') this.select = parseJsonPath(template);
    else if (!['table', 'json', 'yaml', 'name'].includes(given))
      throw new WrongUse(
        `there is no output format ${given}`,
        "Use -o table, json, yaml, name or jsonpath=TEMPLATE, such as jsonpath='{.id}'.",
      );
    this.format = format as Format;
  }

  async show<T>(record: T, { table, name, isLong }: Shown<T>): Promise<void> {
    switch (this.format) {
      case 'table':
        return isLong ? this.terminal.page(table(record)) : this.terminal.print(table(record));
      case 'name':
        return this.terminal.data(
          name(record)
            .map((line) => `${line}\n`)
            .join(''),
        );
      case 'json':
        return this.terminal.data(`${JSON.stringify(record, null, 2)}\n`);
      case 'yaml':
        return this.terminal.data(await toYaml(record));
      case 'jsonpath':
        return this.terminal.data(this.select?.(record) ?? '');
    }
  }

  /** The record of what was said to the person already, in formats for programs. */
  async showBeside<T>(record: T, name: (record: T) => string[]): Promise<void> {
    if (this.format !== 'table') await this.show(record, { table: () => '', name });
  }

  /** A record of a stream, as one line: of JSON, or as `line` says. */
  async showNext<T>(record: T, { table, name }: Shown<T>): Promise<void> {
    if (this.format === 'json') this.terminal.data(`${JSON.stringify(record)}\n`);
    else if (this.format === 'yaml') this.terminal.data(`---\n${await toYaml(record)}`);
    else if (this.format === 'jsonpath') this.terminal.data(`${this.select?.(record) ?? ''}\n`);
    else await this.show(record, { table, name });
  }
}

export async function toYaml(record: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(record, { lineWidth: 0 });
}

const GAP = '   ';

/** Records as a table; on a terminal, its widest columns give way until it fits. */
export function tableOf<T>(records: readonly T[], columns: readonly Column<T>[], width = Infinity): string {
  if (records.length === 0) return styled('dim', 'There are none.');
  const rows = records.map((record) => columns.map(([, text]) => cellOf(text(record))));
  const widths = columns.map(([heading], index) =>
    Math.max(heading.length, ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  fit(widths, width - GAP.length * (columns.length - 1));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => pad(cut(cell, widths[index] ?? 0), index === cells.length - 1 ? 0 : (widths[index] ?? 0)))
      .join(GAP)
      .trimEnd();
  const heading = styled('bold', line(columns.map(([text]) => text)));
  return [heading, ...rows.map(line)].join('\n');
}

/** Names and values of one record, a line each. */
export function detailsOf(details: readonly (readonly [name: string, value: unknown])[]): string {
  const shown = details.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${styled('bold', pad(name, width))}  ${cellOf(value)}`).join('\n');
}

/** The value of a record in one line. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  return `${value as string | number | boolean}`.replace(/[\r\n\t]+/g, ' ');
}

const MIN_WIDTH = 6;

/** Makes the widest smaller until all fit, or none can give way. */
function fit(widths: number[], available: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const second = Math.max(MIN_WIDTH, ...widths.filter((_, index) => index !== widest));
    const width = widths[widest] ?? 0;
    if (width <= MIN_WIDTH) return;
    const step = Math.min(excess, Math.max(1, width - Math.max(second, MIN_WIDTH)));
    widths[widest] = width - step;
    excess -= step;
  }
}

const segments = new Intl.Segmenter();
const WIDE = /\p{Extended_Pictographic}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;

const NARROW = /^[\u0020-\u007e]*$/;

/** Columns that text takes on a terminal. */
function widthOf(text: string): number {
  const plain = withoutStyles(text);
  if (NARROW.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of segments.segment(plain)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Text within a width, with an ellipsis where it was longer. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let taken = 1;
  for (const { segment } of segments.segment(withoutStyles(text))) {
    taken += WIDE.test(segment) ? 2 : 1;
    if (taken > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** How long ago a time is, in the largest unit: 3d. */
export function ageOf(time: string | null | undefined, now = Date.now()): string {
  if (!time) return '';
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** A number with its noun: 1 resource, 2 resources. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
