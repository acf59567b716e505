import { CelUint, type CelValue } from './values.js';
import { CelUnsupported, type Token, tokenize } from './tokens.js';

export type CelExpression =
  | { kind: 'literal'; value: CelValue }
  | { kind: 'name'; name: string }
  | { kind: 'select'; target: CelExpression; field: string; optional: boolean }
  | { kind: 'index'; target: CelExpression; index: CelExpression; optional: boolean }
  | { kind: 'call'; target: CelExpression | undefined; name: string; args: CelExpression[] }
  | { kind: 'list'; items: CelExpression[]; optional: boolean[] }
  | { kind: 'map'; entries: [key: CelExpression, value: CelExpression, optional: boolean][] }
  | { kind: 'unary'; operator: string; operand: CelExpression }
  | { kind: 'binary'; operator: string; left: CelExpression; right: CelExpression }
  | { kind: 'condition'; test: CelExpression; then: CelExpression; otherwise: CelExpression };

const LEVELS: string[][] = [['||'], ['&&'], ['==', '!=', '<', '<=', '>', '>=', 'in'], ['+', '-'], ['*', '/', '%']];
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const MAX_DEPTH = 100;

/** @throws CelUnsupported for invalid syntax */
export function parseCel(source: string): CelExpression {
  return new CelParser(tokenize(source)).whole();
}

class CelParser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: Token[]) {}

  whole(): CelExpression {
    const expression = this.expression();
    if (this.peek().kind !== 'end') throw new CelUnsupported('something stands behind its end');
    return expression;
  }

  private expression(): CelExpression {
    if (++this.depth > MAX_DEPTH) throw new CelUnsupported('it is nested too deep');
    const test = this.binary(0);
    let expression = test;
    if (this.accept('?')) {
      const then = this.binary(0);
      this.expect(':');
      expression = { kind: 'condition', test, then, otherwise: this.expression() };
    }
    this.depth--;
    return expression;
  }

  private binary(level: number): CelExpression {
    const operators = LEVELS[level];
    if (!operators) return this.unary();
    let left = this.binary(level + 1);
    for (;;) {
      const operator = operators.find((candidate) => this.accept(candidate));
      if (operator === undefined) return left;
      left = { kind: 'binary', operator, left, right: this.binary(level + 1) };
    }
  }

  private unary(): CelExpression {
    const operator = ['!', '-'].find((candidate) => this.accept(candidate));
    if (operator === undefined) return this.member();
    if (++this.depth > MAX_DEPTH) throw new CelUnsupported('it is nested too deep');
    const operand = this.unary();
    this.depth--;
    if (operator === '-' && operand.kind === 'literal' && typeof operand.value === 'bigint')
      return { kind: 'literal', value: -operand.value };
    return { kind: 'unary', operator, operand };
  }

  private member(): CelExpression {
    let target = this.primary();
    for (;;) {
      if (this.accept('.')) {
        const name = this.name();
        target = this.accept('(')
          ? { kind: 'call', target, name, args: this.list(')') }
          : { kind: 'select', target, field: name, optional: false };
      } else if (this.accept('.?')) target = { kind: 'select', target, field: this.name(), optional: true };
      else if (this.accept('[')) target = this.index(target, false);
      else if (this.accept('[?')) target = this.index(target, true);
      else if (this.peekIs('{') && isTypeName(target)) throw new CelUnsupported('messages are not supported');
      else return target;
    }
  }

  private index(target: CelExpression, optional: boolean): CelExpression {
    const index = this.expression();
    this.expect(']');
    return { kind: 'index', target, index, optional };
  }

  private primary(): CelExpression {
    const token = this.peek();
    if (token.kind === 'end') throw new CelUnsupported('it ends too early');
    if (token.kind === 'symbol') return this.bracketed();
    this.at++;
    if (token.kind === 'uint') return { kind: 'literal', value: new CelUint(token.value) };
    if ('value' in token) return { kind: 'literal', value: token.value };
    const constants: Record<string, CelValue> = { true: true, false: false, null: null };
    if (Object.hasOwn(constants, token.text)) return { kind: 'literal', value: constants[token.text] ?? null };
    if (RESERVED.has(token.text) || token.text === 'in') throw new CelUnsupported(`unexpected ${token.text}`);
    if (this.accept('(')) return { kind: 'call', target: undefined, name: token.text, args: this.list(')') };
    return { kind: 'name', name: token.text };
  }

  private bracketed(): CelExpression {
    if (this.accept('.')) return this.primary();
    if (this.accept('(')) {
      const expression = this.expression();
      this.expect(')');
      return expression;
    }
    if (this.peekIs('[?')) {
      // The lexer reads `[?` as one token; here it begins a list.
      this.tokens.splice(this.at, 1, { kind: 'symbol', text: '[' }, { kind: 'symbol', text: '?' });
    }
    if (this.accept('[')) {
      const optional: boolean[] = [];
      const items = this.list(']', () => optional.push(this.accept('?')));
      return { kind: 'list', items, optional };
    }
    if (this.accept('{')) return this.mapLiteral();
    const token = this.peek();
    throw new CelUnsupported(`unexpected ${token.kind === 'symbol' ? token.text : token.kind}`);
  }

  private mapLiteral(): CelExpression {
    const entries: [CelExpression, CelExpression, boolean][] = [];
    while (!this.accept('}')) {
      const optional = this.accept('?');
      const key = this.expression();
      this.expect(':');
      entries.push([key, this.expression(), optional]);
      if (!this.accept(',') && !this.peekIs('}')) throw new CelUnsupported('a map does not end');
    }
    return { kind: 'map', entries };
  }

  private list(end: string, before?: () => void): CelExpression[] {
    const items: CelExpression[] = [];
    while (!this.accept(end)) {
      before?.();
      items.push(this.expression());
      if (!this.accept(',') && !this.peekIs(end)) throw new CelUnsupported(`${end} is missing`);
    }
    return items;
  }

  private name(): string {
    const token = this.peek();
    if (token.kind !== 'name') throw new CelUnsupported('a name is missing');
    this.at++;
    return token.text;
  }

  private peek(): Token {
    return this.tokens[this.at] ?? { kind: 'end' };
  }

  private peekIs(text: string): boolean {
    const token = this.peek();
    return (token.kind === 'symbol' || (token.kind === 'name' && text === 'in')) && token.text === text;
  }

  private accept(text: string): boolean {
    const found = this.peekIs(text);
    if (found) this.at++;
    return found;
  }

  private expect(text: string): void {
    if (!this.accept(text)) throw new CelUnsupported(`${text} is missing`);
  }
}

function isTypeName(expression: CelExpression): boolean {
  return expression.kind === 'name' || (expression.kind === 'select' && isTypeName(expression.target));
}
