import { InvalidRequest } from '../../core/errors/app-error.js';
import { isFunction } from '../../validation/cel/functions.js';
import { type CelExpression, parseCel } from '../../validation/cel/parser.js';
import { CelUnsupported } from '../../validation/cel/tokens.js';

/** The variables of a policy expression. */
export const POLICY_VARIABLES = ['component', 'design', 'environment'];

const TYPES = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type'];

const BOOLEAN_OPERATORS = new Set(['&&', '||', '==', '!=', '<', '<=', '>', '>=', 'in', '!']);
/** Functions and macros whose value is never a boolean; that of others depends on their arguments, or is one. */
const OTHER_FUNCTIONS = new Set([...TYPES.filter((type) => type !== 'bool'), 'size', 'map', 'filter']);

/**
 * Checks that an expression compiles, uses only known variables and may be true or false.
 * @throws InvalidRequest
 */
export function assertPolicyExpression(source: string): void {
  const expression = compile(source);
  const unknown = [...new Set(findFreeNames(expression))];
  if (unknown.length > 0)
    throw InvalidRequest.forField(
      '/expression',
      `names ${unknown.slice(0, 5).join(', ')}, which is not known`,
      `Use ${POLICY_VARIABLES.join(', ')}.`,
    );
  if (!mayBeBoolean(expression))
    throw InvalidRequest.forField(
      '/expression',
      'is never true or false',
      'Write a condition that each component has to meet, such as component.kind != "Secret".',
    );
}

/** Reports whether an expression may be true or false; the type of a field is known only when it is evaluated. */
function mayBeBoolean(expression: CelExpression): boolean {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'boolean';
    case 'name':
    case 'list':
    case 'map':
      return false;
    case 'unary':
    case 'binary':
      return BOOLEAN_OPERATORS.has(expression.operator);
    case 'condition':
      return mayBeBoolean(expression.then) && mayBeBoolean(expression.otherwise);
    case 'call':
      return !OTHER_FUNCTIONS.has(expression.name);
    case 'select':
    case 'index':
      return true;
  }
}

function compile(source: string): CelExpression {
  try {
    return parseCel(source);
  } catch (error) {
    if (!(error instanceof CelUnsupported)) throw error;
    throw InvalidRequest.forField('/expression', `does not compile: ${error.message}`, 'Correct the CEL expression.');
  }
}

/** The identifiers that neither the policy, nor an enclosing macro, nor the language declares. */
function findFreeNames(expression: CelExpression): string[] {
  const bound = new Set([...POLICY_VARIABLES, ...TYPES]);
  const names: string[] = [];
  for (const part of walk(expression)) {
    if (part.kind === 'name') names.push(part.name);
    // Macros of lists and maps declare the identifiers before their last argument.
    if (part.kind !== 'call' || !part.target) continue;
    for (const argument of part.args.slice(0, -1)) if (argument.kind === 'name') bound.add(argument.name);
  }
  return names.filter((name) => !bound.has(name));
}

function* walk(expression: CelExpression): Generator<CelExpression> {
  const open = [expression];
  for (let part = open.pop(); part; part = open.pop()) {
    yield part;
    open.push(...childrenOf(part));
  }
}

function childrenOf(part: CelExpression): CelExpression[] {
  switch (part.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'select':
      return [part.target];
    case 'index':
      return [part.target, part.index];
    case 'call': {
      const isQualified = part.target?.kind === 'name' && isFunction(`${part.target.name}.${part.name}`);
      return part.target && !isQualified ? [part.target, ...part.args] : part.args;
    }
    case 'list':
      return part.items;
    case 'map':
      return part.entries.flatMap(([key, value]) => [key, value]);
    case 'unary':
      return [part.operand];
    case 'binary':
      return [part.left, part.right];
    case 'condition':
      return [part.test, part.then, part.otherwise];
  }
}
