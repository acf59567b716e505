import { compilePattern, type Pattern } from '../values/pattern.js';
import { codePoints, celToText } from './conversions.js';
import type { CelFunctions, CelRun } from './run.js';
import { CelUnsupported } from './tokens.js';
import { CelError, type CelValue, isList, PlainList, typeName } from './values.js';
import { trimText } from '../../core/trim-text.js';

const MAX_MATCHES = 10_000;
const MAX_TEXT_LENGTH = 5_000_000;

/** A method of strings whose other arguments are strings too. */
function textMethod(work: (text: string, ...others: string[]) => CelValue): CelFunctions[string] {
  return (args, run) => {
    if (!args.every((argument) => typeof argument === 'string')) return undefined;
    const [text = '', ...others] = args;
    run.budget.spend(text.length >> 6);
    return work(text, ...others);
  };
}

export const TEXT_FUNCTIONS: CelFunctions = {
  'strings.quote': textMethod((text) => JSON.stringify(text)),
};

export const TEXT_METHODS: CelFunctions = {
  contains: textMethod((text, part = '') => text.includes(part)),
  startsWith: textMethod((text, part = '') => text.startsWith(part)),
  endsWith: textMethod((text, part = '') => text.endsWith(part)),
  lowerAscii: textMethod((text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  upperAscii: textMethod((text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  trim: textMethod((text) => trimText(text, /[\s\u0085]/)),
  charAt: ([text, place]) => {
    if (typeof text !== 'string' || typeof place !== 'bigint') return undefined;
    const characters = codePoints(text);
    if (place < 0n || place > characters.length)
      throw new CelError(`index out of range: ${place}`, 'index out of range');
    return characters[Number(place)] ?? '';
  },
  indexOf: ([text, part, from]) => findPosition(text, part, from, false),
  lastIndexOf: ([text, part, from]) => findPosition(text, part, from, true),
  substring: ([text, from, to]) => {
    if (typeof text !== 'string' || typeof from !== 'bigint') return undefined;
    const characters = codePoints(text);
    const end = typeof to === 'bigint' ? to : BigInt(characters.length);
    if (from < 0n || end > characters.length || from > end)
      throw new CelError(`index out of range: ${from}`, 'index out of range');
    return characters.slice(Number(from), Number(end)).join('');
  },
  replace: ([text, part, other, limit], run) => {
    if (typeof text !== 'string' || typeof part !== 'string' || typeof other !== 'string') return undefined;
    const pieces = splitText(text, part, limit === undefined || limit === -1n ? -1 : Number(limit) + 1);
    if (text.length + pieces.length * other.length > MAX_TEXT_LENGTH)
      throw new CelUnsupported('its text grows too long');
    run.budget.spend((text.length + pieces.length * other.length) >> 6);
    return pieces.join(other);
  },
  split: ([text, part, limit], run) => {
    if (typeof text !== 'string' || typeof part !== 'string') return undefined;
    run.budget.spend(text.length >> 4);
    return limit === 0n
      ? new PlainList([])
      : new PlainList(splitText(text, part, typeof limit === 'bigint' ? Number(limit) : -1));
  },
  join: ([list, between = ''], run) => {
    if (list === undefined || !isList(list) || typeof between !== 'string') return undefined;
    if (!list.items.every((item) => typeof item === 'string')) return undefined;
    const text = list.items.join(between);
    run.budget.spend(text.length >> 6);
    return text;
  },
  matches: ([text, pattern], run) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
    return assertDecided(compileFor(pattern, text, run).matches(text));
  },
  find: ([text, pattern], run) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
    return assertDecided(compileFor(pattern, text, run).findAll(text, 1))[0] ?? '';
  },
  findAll: ([text, pattern, limit], run) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
    const most = typeof limit === 'bigint' && limit >= 0n ? Number(limit) : MAX_MATCHES;
    return new PlainList(assertDecided(compileFor(pattern, text, run).findAll(text, most)));
  },
  format: ([text, values]) => {
    if (typeof text !== 'string' || values === undefined || !isList(values)) return undefined;
    return formatTemplate(text, values.items);
  },
};

function findPosition(text?: CelValue, part?: CelValue, from?: CelValue, last = false): CelValue | undefined {
  if (typeof text !== 'string' || typeof part !== 'string') return undefined;
  const characters = codePoints(text);
  const start = typeof from === 'bigint' ? Number(from) : last ? characters.length : 0;
  if (start < 0 || start > characters.length) throw new CelError(`index out of range: ${start}`, 'index out of range');
  const units = characters.slice(0, start).join('').length;
  const found = last ? text.lastIndexOf(part, units) : text.indexOf(part, units);
  return found < 0 ? -1n : BigInt(codePoints(text.slice(0, found)).length);
}

/** As Go's `strings.SplitN`: an empty separator splits into characters; with a limit, the last part is the unsplit rest. */
function splitText(text: string, part: string, limit: number): string[] {
  const pieces = part === '' ? codePoints(text) : text.split(part);
  if (limit < 0 || pieces.length <= limit) return pieces;
  return [...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(part)];
}

function compileFor(source: string, text: string, run: CelRun): Pattern {
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') throw new CelError(pattern, 'invalid pattern');
  run.budget.spend(10 + ((text.length * pattern.size) >> 7));
  return pattern;
}

function assertDecided<T>(answer: T | undefined): T {
  if (answer === undefined) throw new CelUnsupported('looking for its pattern takes too long');
  return answer;
}

function formatTemplate(template: string, values: readonly CelValue[]): string {
  let next = 0;
  return template.replace(
    /%(%|(?:\.(\d+))?([sdfebxXo]))/g,
    (_, whole: string, digits: string | undefined, verb: string) => {
      if (whole === '%') return '%';
      const value = values[next++];
      if (value === undefined) throw new CelError(`index ${next - 1} out of range`, 'index out of range');
      return formatValue(value, verb, digits === undefined ? 6 : Number(digits));
    },
  );
}

function formatValue(value: CelValue, verb: string, digits: number): string {
  if (digits > 100) throw new CelUnsupported('it asks for more than 100 digits');
  if (verb === 's')
    return isList(value)
      ? `[${value.items.map((item) => formatValue(item, 's', 6)).join(', ')}]`
      : (celToText(value) ?? typeName(value));
  if (verb === 'f' && typeof value === 'number') return value.toFixed(digits);
  if (verb === 'e' && typeof value === 'number') return value.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2');
  const bases: Record<string, number> = { d: 10, b: 2, x: 16, X: 16, o: 8 };
  const base = bases[verb];
  if (typeof value !== 'bigint' || base === undefined) throw new CelUnsupported('a format is not for such a value');
  return verb === 'X' ? value.toString(base).toUpperCase() : value.toString(base);
}
