import type { Budget } from '../budget.js';
import { areEqual } from './equality.js';
import { callFunction, callMethod, isFunction } from './functions.js';
import { textOf } from './conversions.js';
import { runMacro } from './macros.js';
import { applyBinary, applyUnary } from './operators.js';
import type { Expression } from './parser.js';
import {
  CelError,
  CelOptional,
  CelType,
  type CelValue,
  isList,
  isMap,
  noOverload,
  PlainList,
  PlainMap,
  typeName,
} from './values.js';

/** Names that an expression sees; each macro adds one. */
export interface Scope {
  readonly name: string;
  readonly value: CelValue;
  readonly outer: Scope | undefined;
}

/** One run of an expression. */
export interface Run {
  evaluate(expression: Expression, scope: Scope | undefined): CelValue;
  readonly budget: Budget;
}

const TYPES = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);

/**
 * Runs an expression.
 *
 * @throws CelError as the expression fails, BudgetSpent when it takes too long, CelUnsupported when it asks for what is not there
 */
export function runCel(expression: Expression, variables: Record<string, CelValue>, budget: Budget): CelValue {
  let scope: Scope | undefined;
  for (const [name, value] of Object.entries(variables)) scope = { name, value, outer: scope };
  return new Evaluation(budget).evaluate(expression, scope);
}

class Evaluation implements Run {
  constructor(readonly budget: Budget) {}

  evaluate(expression: Expression, scope: Scope | undefined): CelValue {
    this.budget.spend(1);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return this.name(expression.name, scope);
      case 'select':
        return this.select(this.evaluate(expression.target, scope), expression.field, expression.optional);
      case 'index':
        return this.index(
          this.evaluate(expression.target, scope),
          this.evaluate(expression.index, scope),
          expression.optional,
        );
      case 'call':
        return this.call(expression, scope);
      case 'list':
        return this.list(expression, scope);
      case 'map':
        return this.map(expression, scope);
      case 'unary':
        return applyUnary(expression.operator, this.evaluate(expression.operand, scope));
      case 'binary':
        return this.binary(expression, scope);
      case 'condition': {
        const test = this.evaluate(expression.test, scope);
        if (typeof test !== 'boolean') throw noOverload('_?_:_', test);
        return this.evaluate(test ? expression.then : expression.otherwise, scope);
      }
    }
  }

  private name(name: string, scope: Scope | undefined): CelValue {
    for (let known = scope; known; known = known.outer) if (known.name === name) return known.value;
    if (TYPES.has(name)) return new CelType(name);
    throw new CelError(`undeclared reference to '${name}'`);
  }

  private select(target: CelValue, field: string, optional: boolean): CelValue {
    if (target instanceof CelOptional)
      return target.value === undefined ? target : lifted(this.find(target.value, field));
    const found = this.find(target, field);
    if (optional) return lifted(found);
    if (found === undefined) throw new CelError(`no such key: ${field}`);
    return found;
  }

  private find(target: CelValue, field: string): CelValue | undefined {
    if (!isMap(target)) throw noOverload(`.${field}`, target);
    return target.get(field);
  }

  private index(target: CelValue, index: CelValue, optional: boolean): CelValue {
    if (target instanceof CelOptional)
      return target.value === undefined ? target : this.index(target.value, index, true);
    if (isList(target)) {
      const place = typeof index === 'bigint' || typeof index === 'number' ? Number(index) : NaN;
      if (!Number.isInteger(place)) throw noOverload('_[_]', target, index);
      const item = target.items[place];
      if (optional) return lifted(item);
      if (item === undefined) throw new CelError(`index out of bounds: ${place}`);
      return item;
    }
    if (!isMap(target)) throw noOverload('_[_]', target, index);
    const value = target.get(index);
    if (optional) return lifted(value);
    if (value === undefined) throw new CelError(`no such key: ${textOf(index) ?? typeName(index)}`);
    return value;
  }

  private call(expression: Expression & { kind: 'call' }, scope: Scope | undefined): CelValue {
    const macro = runMacro(expression, scope, this);
    if (macro !== undefined) return macro;
    const { target, name, args } = expression;
    const given = (): CelValue[] => args.map((argument) => this.evaluate(argument, scope));
    if (!target) return callFunction(name, given(), this);
    const qualified = target.kind === 'name' && !isBound(target.name, scope) ? `${target.name}.${name}` : '';
    if (isFunction(qualified)) return callFunction(qualified, given(), this);
    const receiver = this.evaluate(target, scope);
    // The default of an optional is needed only when there is none.
    if (receiver instanceof CelOptional && receiver.value !== undefined && args.length === 1) {
      if (name === 'orValue') return receiver.value;
      if (name === 'or') return receiver;
    }
    return callMethod(name, receiver, given(), this);
  }

  private list({ items, optional }: Expression & { kind: 'list' }, scope: Scope | undefined): CelValue {
    const values = items.flatMap((item, index) => {
      const value = this.evaluate(item, scope);
      if (!optional[index]) return [value];
      if (!(value instanceof CelOptional)) throw noOverload('[?_]', value);
      return value.value === undefined ? [] : [value.value];
    });
    return new PlainList(values);
  }

  private map({ entries }: Expression & { kind: 'map' }, scope: Scope | undefined): CelValue {
    const map = new PlainMap();
    for (const [key, value, optional] of entries) {
      const content = this.evaluate(value, scope);
      if (!optional) map.set(this.evaluate(key, scope), content);
      else if (content instanceof CelOptional && content.value !== undefined)
        map.set(this.evaluate(key, scope), content.value);
    }
    return map;
  }

  private binary({ operator, left, right }: Expression & { kind: 'binary' }, scope: Scope | undefined): CelValue {
    if (operator === '&&' || operator === '||') return this.logical(operator === '||', [left, right], scope);
    const [a, b] = [this.evaluate(left, scope), this.evaluate(right, scope)];
    if (operator === '==' || operator === '!=') return areEqual(a, b, this.budget) === (operator === '==');
    return applyBinary(operator, a, b, this.budget);
  }

  /** One side that decides makes up for an error of the other. */
  private logical(deciding: boolean, sides: Expression[], scope: Scope | undefined): boolean {
    let failure: CelError | undefined;
    for (const side of sides) {
      try {
        const value = this.evaluate(side, scope);
        if (value === deciding) return deciding;
        if (typeof value !== 'boolean') failure ??= noOverload(deciding ? '_||_' : '_&&_', value);
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
    return !deciding;
  }
}

function lifted(value: CelValue | undefined): CelOptional {
  return value === undefined ? CelOptional.none : new CelOptional(value);
}

function isBound(name: string, scope: Scope | undefined): boolean {
  for (let known = scope; known; known = known.outer) if (known.name === name) return true;
  return false;
}
