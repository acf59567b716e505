/** A rule that this evaluator does not support, although an API server may. */
export class CelUnsupported extends Error {}

export type Token =
  | { kind: 'name' | 'symbol'; text: string }
  | { kind: 'text'; value: string }
  | { kind: 'bytes'; value: Uint8Array }
  | { kind: 'int' | 'uint'; value: bigint }
  | { kind: 'double'; value: number }
  | { kind: 'end' };

const SPACE = /(?:\s+|\/\/[^\n]*)+/y;
const NUMBER = /(?:0[xX]([0-9a-fA-F]+)|(\d+)(\.\d+)?([eE][+-]?\d+)?|(\.\d+)([eE][+-]?\d+)?)([uU]?)/y;
const NAME = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const SYMBOL = /&&|\|\||==|!=|<=|>=|\.\?|\[\?|[-+*/%!<>?:.,()[\]{}]/y;
const STRING = /([rR]?[bB]?|[bB][rR])("""|'''|"|')/y;
const ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const MAX_SOURCE_LENGTH = 20_000;

/** @throws CelUnsupported for invalid syntax */
export function tokenize(source: string): Token[] {
  if (source.length > MAX_SOURCE_LENGTH) throw new CelUnsupported('it is too long');
  const tokens: Token[] = [];
  let at = 0;
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at;
    const match = expression.exec(source);
    if (match) at += match[0].length;
    return match;
  };
  for (;;) {
    take(SPACE);
    if (at >= source.length) return [...tokens, { kind: 'end' }];
    const string = take(STRING);
    if (string) {
      const [, prefix = '', quote = ''] = string;
      const raw = /r/i.test(prefix);
      const end = endOf(source, at, quote, raw);
      const body = source.slice(at, end);
      at = end + quote.length;
      tokens.push(literal(body, raw, /b/i.test(prefix)));
      continue;
    }
    const number = /[\d.]/.test(source[at] ?? '') ? take(NUMBER) : null;
    if (number) {
      tokens.push(numberOf(number));
      continue;
    }
    const name = take(NAME);
    const symbol = name ? null : take(SYMBOL);
    const text = name?.[0] ?? symbol?.[0];
    if (text === undefined) throw new CelUnsupported(`unexpected ${source[at]}`);
    tokens.push({ kind: name ? 'name' : 'symbol', text });
  }
}

function numberOf(match: RegExpExecArray): Token {
  const [whole, hex, , fraction, exponent, leading, , unsigned] = match;
  if (!hex && (fraction || exponent || leading)) return { kind: 'double', value: Number(whole) };
  const value = BigInt(hex ? `0x${hex}` : whole.replace(/u$/i, ''));
  return { kind: unsigned ? 'uint' : 'int', value };
}

function endOf(source: string, from: number, quote: string, raw: boolean): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\' && !raw) at++;
    else if (source.startsWith(quote, at)) return at;
    else if (quote.length === 1 && source[at] === '\n') break;
  }
  throw new CelUnsupported('a text does not end');
}

function literal(body: string, raw: boolean, isBytes: boolean): Token {
  if (!isBytes) return { kind: 'text', value: raw ? body : unescape(body, (code) => String.fromCodePoint(code)) };
  const text = raw ? body : unescape(body, (code) => String.fromCodePoint(code));
  return { kind: 'bytes', value: new TextEncoder().encode(text) };
}

function unescape(body: string, character: (code: number) => string): string {
  const escape =
    /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;
  return body.replace(escape, (_, ...groups: (string | undefined)[]) => {
    const hex = groups[0] ?? groups[1] ?? groups[2] ?? groups[3];
    const code = hex !== undefined ? parseInt(hex, 16) : groups[4] !== undefined ? parseInt(groups[4], 8) : undefined;
    if (code !== undefined && code > 0x10ffff) throw new CelUnsupported('no such character');
    const plain = groups[5] ?? '';
    return code !== undefined ? character(code) : (ESCAPES[plain] ?? plain);
  });
}
