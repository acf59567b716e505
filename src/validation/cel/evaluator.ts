import type { StepBudget } from '../schema/step-budget.js';
import { areEqual } from './equality.js';
import { callFunction, callMethod, isFunction } from './functions.js';
import { celToText } from './conversions.js';
import { runMacro } from './macros.js';
import { applyBinary, applyUnary } from './operators.js';
import type { CelExpression } from './parser.js';
import type { CelRun, CelScope } from './run.js';
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

const TYPE_NAMES = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);

/**
 * Evaluates an expression.
 *
 * @throws CelError when the evaluation fails, BudgetExceeded when it takes too many steps, CelUnsupported for functions that are not implemented
 */
export function runCel(expression: CelExpression, variables: Record<string, CelValue>, budget: StepBudget): CelValue {
  let scope: CelScope | undefined;
  for (const [name, value] of Object.entries(variables)) scope = { name, value, outer: scope };
  return new CelEvaluator(budget).evaluate(expression, scope);
}

class CelEvaluator implements CelRun {
  constructor(readonly budget: StepBudget) {}

  evaluate(expression: CelExpression, scope: CelScope | undefined): CelValue {
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

  private name(name: string, scope: CelScope | undefined): CelValue {
    for (let known = scope; known; known = known.outer) if (known.name === name) return known.value;
    if (TYPE_NAMES.has(name)) return new CelType(name);
    throw new CelError(`undeclared reference to '${name}'`);
  }

  private select(target: CelValue, field: string, optional: boolean): CelValue {
    if (target instanceof CelOptional)
      return target.value === undefined ? target : toOptional(this.find(target.value, field));
    const found = this.find(target, field);
    if (optional) return toOptional(found);
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
      if (optional) return toOptional(item);
      if (item === undefined) throw new CelError(`index out of bounds: ${place}`, 'index out of bounds');
      return item;
    }
    if (!isMap(target)) throw noOverload('_[_]', target, index);
    const value = target.get(index);
    if (optional) return toOptional(value);
    if (value === undefined) throw new CelError(`no such key: ${celToText(index) ?? typeName(index)}`, 'no such key');
    return value;
  }

  private call(expression: CelExpression & { kind: 'call' }, scope: CelScope | undefined): CelValue {
    const macro = runMacro(expression, scope, this);
    if (macro !== undefined) return macro;
    const { target, name, args } = expression;
    const given = (): CelValue[] => args.map((argument) => this.evaluate(argument, scope));
    if (!target) return callFunction(name, given(), this);
    const qualified = target.kind === 'name' && !isBound(target.name, scope) ? `${target.name}.${name}` : '';
    if (isFunction(qualified)) return callFunction(qualified, given(), this);
    const receiver = this.evaluate(target, scope);
    // The default is evaluated only when the optional has no value.
    if (receiver instanceof CelOptional && receiver.value !== undefined && args.length === 1) {
      if (name === 'orValue') return receiver.value;
      if (name === 'or') return receiver;
    }
    return callMethod(name, receiver, given(), this);
  }

  private list({ items, optional }: CelExpression & { kind: 'list' }, scope: CelScope | undefined): CelValue {
    const values = items.flatMap((item, index) => {
      const value = this.evaluate(item, scope);
      if (!optional[index]) return [value];
      if (!(value instanceof CelOptional)) throw noOverload('[?_]', value);
      return value.value === undefined ? [] : [value.value];
    });
    return new PlainList(values);
  }

  private map({ entries }: CelExpression & { kind: 'map' }, scope: CelScope | undefined): CelValue {
    const map = new PlainMap();
    for (const [key, value, optional] of entries) {
      const content = this.evaluate(value, scope);
      if (!optional) map.set(this.evaluate(key, scope), content);
      else if (content instanceof CelOptional && content.value !== undefined)
        map.set(this.evaluate(key, scope), content.value);
    }
    return map;
  }

  private binary({ operator, left, right }: CelExpression & { kind: 'binary' }, scope: CelScope | undefined): CelValue {
    if (operator === '&&' || operator === '||') return this.logical(operator === '||', [left, right], scope);
    const [a, b] = [this.evaluate(left, scope), this.evaluate(right, scope)];
    if (operator === '==' || operator === '!=') return areEqual(a, b, this.budget) === (operator === '==');
    return applyBinary(operator, a, b, this.budget);
  }

  /** `&&` and `||`: when one side determines the result, an error of the other side is ignored. */
  private logical(deciding: boolean, sides: CelExpression[], scope: CelScope | undefined): boolean {
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

function toOptional(value: CelValue | undefined): CelOptional {
  return value === undefined ? CelOptional.none : new CelOptional(value);
}

function isBound(name: string, scope: CelScope | undefined): boolean {
  for (let known = scope; known; known = known.outer) if (known.name === name) return true;
  return false;
}
