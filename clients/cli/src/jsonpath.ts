import { Failure, WrongUse } from './failure.js';

/*
 * Templates of JSONPath as kubectl reads them (k8s.io/client-go/util/jsonpath): text outside of braces stands as it is, expressions in
 * braces are replaced by what they select, {range} … {end} repeats. What is missing is empty.
 */

type Node =
  | { type: 'text'; value: string }
  | { type: 'value'; value: number | boolean }
  | { type: 'word'; value: string }
  | { type: 'field'; value: string }
  | { type: 'wildcard' }
  | { type: 'recursive' }
  | { type: 'slice'; from?: number; to?: number; step?: number; single: boolean }
  | { type: 'union'; lists: Node[][] }
  | { type: 'filter'; left: Node[]; operator: string; right: Node[] }
  | { type: 'list'; nodes: Node[] };

type Json = unknown;

/** A template, parsed. @throws WrongUse for one that kubectl would refuse, too */
export function parseJsonPath(template: string): (data: Json) => string {
  const nodes = new Parser(template).parseTemplate();
  return (data) => new Evaluation().print(nodes, data);
}

const TERMINATORS = new Set([undefined, '.', ',', '[', ']', '$', '@', '{', '}', ' ']);

class Parser {
  private at = 0;

  constructor(private readonly input: string) {}

  parseTemplate(): Node[] {
    const nodes: Node[] = [];
    while (this.at < this.input.length) {
      const open = this.input.indexOf('{', this.at);
      const text = this.input.slice(this.at, open < 0 ? undefined : open);
      if (text) nodes.push({ type: 'text', value: text });
      if (open < 0) break;
      this.at = open + 1;
      nodes.push({ type: 'list', nodes: this.parseAction() });
    }
    return nodes;
  }

  /** What stands between braces; the end of the input ends it too where it is a part of another expression. */
  parseAction(isPart = false): Node[] {
    const nodes: Node[] = [];
    for (;;) {
      const unit = this.input[this.at];
      if (unit === undefined && isPart) return nodes;
      if (unit === undefined || unit === '\n') throw invalid('unclosed action');
      if (unit === '}' && !isPart) {
        this.at++;
        return nodes;
      }
      if (this.input.startsWith('[?(', this.at)) nodes.push(this.parseFilter());
      else if (this.input.startsWith('..', this.at)) this.parseRecursive(nodes);
      else if (unit === ' ' || unit === '@' || unit === '$') this.at++;
      else if (unit === '[') nodes.push(...this.parseArray());
      else if (unit === '"' || unit === "'") nodes.push(this.parseQuoted(unit));
      else if (unit === '.') {
        this.at++;
        nodes.push(this.parseField());
      } else if (/[-+\d]/.test(unit)) nodes.push(this.parseNumber());
      else if (/[\p{L}\p{N}_]/u.test(unit)) nodes.push(this.parseWord());
      else throw invalid(`unrecognized character in action: ${unit}`);
    }
  }

  private parseRecursive(nodes: Node[]): void {
    if (nodes.at(-1)?.type === 'recursive') throw invalid('invalid multiple recursive descent');
    this.at += 2;
    nodes.push({ type: 'recursive' });
    if (/[\p{L}\p{N}_]/u.test(this.input[this.at] ?? '')) nodes.push(this.parseField());
  }

  /** Text up to a terminator; a backslash makes the character after it a part of the text. */
  private takeName(): string {
    const start = this.at;
    while (!TERMINATORS.has(this.input[this.at])) this.at += this.input[this.at] === '\\' ? 2 : 1;
    return this.input.slice(start, this.at);
  }

  private parseField(): Node {
    const name = this.takeName();
    return name === '*' ? { type: 'wildcard' } : { type: 'field', value: name.replaceAll('\\', '') };
  }

  private parseWord(): Node {
    const word = this.takeName();
    return word === 'true' || word === 'false'
      ? { type: 'value', value: word === 'true' }
      : { type: 'word', value: word };
  }

  private parseNumber(): Node {
    const [text = ''] = /^[-+]?[\d.]*/.exec(this.input.slice(this.at)) ?? [];
    this.at += text.length;
    const value = Number(text);
    if (text === '' || Number.isNaN(value)) throw invalid(`cannot parse number ${text}`);
    return { type: 'value', value };
  }

  private parseQuoted(quote: string): Node {
    const start = this.at + 1;
    for (this.at = start; this.input[this.at] !== quote || this.input[this.at - 1] === '\\'; this.at++)
      if (this.input[this.at] === undefined || this.input[this.at] === '\n')
        throw invalid('unterminated quoted string');
    return { type: 'text', value: unquote(this.input.slice(start, this.at++)) };
  }

  private parseFilter(): Node {
    const start = this.at + 3;
    let quote: string | null = null;
    let isClosed = false;
    for (this.at = start; ; this.at++) {
      const unit = this.input[this.at];
      if (unit === undefined || unit === '\n') throw invalid('unterminated filter');
      if (unit === '"' || unit === "'") {
        if (quote === null) quote = unit;
        else if (unit === quote && this.input[this.at - 1] !== '\\') isClosed = true;
      } else if (unit === ')' && (quote === null || isClosed)) break;
    }
    const text = this.input.slice(start, this.at);
    if (this.input[this.at + 1] !== ']') throw invalid('unclosed array expect ]');
    this.at += 2;
    const [, left, operator = '', right = ''] = /^([^!<>=]+)([!<>=]+)([^!<>=].*)$/s.exec(text) ?? [];
    if (left === undefined) return { type: 'filter', left: parsePart(text), operator: 'exists', right: [] };
    return { type: 'filter', left: parsePart(left), operator, right: parsePart(right) };
  }

  private parseArray(): Node[] {
    const close = this.input.indexOf(']', this.at);
    const text = this.input.slice(this.at + 1, close < 0 ? undefined : close);
    if (close < 0 || text.includes('\n')) throw invalid('unterminated array');
    this.at = close + 1;
    const parts = text.split(',');
    if (parts.length > 1) return [{ type: 'union', lists: parts.map((part) => parsePart(`[${part.trim()}]`)) }];
    const [, key] = /^'([^']*)'$/.exec(text) ?? [];
    if (key !== undefined) return parsePart(`.${key}`);
    const [found, from, to, step] = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === '*' ? ':' : text) ?? [];
    if (found === undefined) throw invalid(`invalid array index ${text}`);
    const numberOf = (part = ''): number | undefined => {
      const digits = part.replace(':', '');
      return digits === '' ? undefined : Number(digits);
    };
    return [{ type: 'slice', from: numberOf(from), to: numberOf(to), step: numberOf(step), single: to === undefined }];
  }
}

const parsePart = (text: string): Node[] => new Parser(text).parseAction(true);

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' };
const unquote = (text: string): string =>
  text.replace(/\\(.)/g, (_, unit: string) => {
    const plain = ESCAPES[unit];
    if (plain === undefined) throw invalid('invalid syntax');
    return plain;
  });

const invalid = (detail: string): WrongUse =>
  new WrongUse(`the template of jsonpath is invalid: ${detail}`, "Write it as for kubectl: -o jsonpath='{.status}'.");

const fail = (detail: string): Failure =>
  new Failure(`jsonpath: ${detail}`, 'Look at the record with -o json, and correct the template.');

/** One run over the nodes of a template, with the state that range and end share. */
class Evaluation {
  private begins = 0;
  private depth = 0;
  private ends = 0;
  private lastEnd: Node | null = null;

  print(nodes: readonly Node[], data: Json): string {
    return this.find(nodes, data)
      .map((results) => results.map(toText).join(' '))
      .join('');
  }

  private find(nodes: readonly Node[], data: Json): Json[][] {
    const found: Json[][] = [];
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index] as Node;
      const results = this.walk([data], node);
      if (this.ends > 0 && this.ends <= this.depth) {
        this.ends--;
        this.lastEnd = node;
        break;
      }
      if (this.begins > 0) {
        this.begins--;
        this.depth++;
        const rest = nodes.slice(index + 1);
        if (results.length > 0) for (const value of results) found.push(...this.find(rest, value));
        else this.find(rest, undefined);
        this.depth--;
        const end = this.lastEnd ? nodes.indexOf(this.lastEnd, index + 1) : -1;
        if (end >= 0) index = end;
        continue;
      }
      found.push(results);
    }
    return found;
  }

  private walk(input: Json[], node: Node): Json[] {
    switch (node.type) {
      case 'text':
      case 'value':
        return [node.value];
      case 'list':
        return this.walkAll(input, node.nodes);
      case 'word':
        if (node.value === 'range') this.begins++;
        else if (node.value !== 'end') throw fail(`unrecognized identifier ${node.value}`);
        else if (this.depth === 0) throw fail('not in range, nothing to end');
        else this.ends++;
        return input;
      case 'field':
        return input.flatMap((value) => (isMap(value) && Object.hasOwn(value, node.value) ? [value[node.value]] : []));
      case 'wildcard':
        return input.flatMap((value) => childrenOf(value));
      case 'recursive':
        return descend(input);
      case 'slice':
        return input.flatMap((value) => (value === null || value === undefined ? [] : slice(value, node)));
      case 'union':
        return node.lists.flatMap((list) => this.walkAll(input, list));
      case 'filter':
        return input.flatMap((value) => {
          if (!Array.isArray(value)) throw fail(`${toText(value)} is not array or slice and cannot be filtered`);
          return (value as Json[]).filter((item) => this.passes(item, node));
        });
    }
  }

  private walkAll(input: Json[], nodes: readonly Node[]): Json[] {
    return nodes.reduce((values, node) => this.walk(values, node), input);
  }

  private passes(item: Json, { left, operator, right }: Node & { type: 'filter' }): boolean {
    const lefts = this.walkAll([item], left);
    if (operator === 'exists') return lefts.length > 0;
    const rights = lefts.length === 0 ? [] : this.walkAll([item], right);
    if (lefts.length > 1 || rights.length > 1) throw fail('can only compare one element at a time');
    if (lefts.length === 0 || rights.length === 0) return false;
    return compare(lefts[0], operator, rights[0]);
  }
}

const isMap = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const childrenOf = (value: Json): Json[] =>
  typeof value === 'object' && value !== null ? (Object.values(value) as Json[]) : [];

function descend(values: Json[]): Json[] {
  return values.flatMap((value) => {
    const children = childrenOf(value);
    return children.length > 0 ? [value, ...descend(children)] : [];
  });
}

function slice(value: Json, { from = 0, to, step = 1, single }: Node & { type: 'slice' }): Json[] {
  if (!Array.isArray(value)) throw fail(`${isMap(value) ? 'an object' : typeof value} is not array or slice`);
  const { length } = value;
  const start = from < 0 ? from + length : from;
  let end = single ? from + 1 : (to ?? length);
  if (end < 0 || (end === 0 && single)) end += length;
  if (start === end) return [];
  if (start >= length || start < 0) throw fail(`array index out of bounds: index ${start}, length ${length}`);
  if (end > length || end < 0) throw fail(`array index out of bounds: index ${end - 1}, length ${length}`);
  if (start > end) throw fail(`starting index ${start} is greater than ending index ${end}`);
  if (step <= 0) throw fail(`step must be > 0`);
  return (value as Json[]).slice(start, end).filter((_, index) => index % step === 0);
}

function compare(left: Json, operator: string, right: Json): boolean {
  if (typeof left !== typeof right || left === null || right === null || typeof left === 'object')
    throw fail('incompatible types for comparison');
  const [a, b] = [left as string | number, right as string | number];
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      throw fail(`unrecognized filter operator ${operator}`);
  }
}

/** As Go writes a value: objects as JSON with sorted keys. */
function toText(value: Json): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return goJson(value);
  return `${value as number | boolean}`;
}

const goJson = (value: Json): string =>
  JSON.stringify(value, (_, part: Json) =>
    isMap(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  ).replace(/[<>&\u2028\u2029]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
