import type { StepBudget } from '../schema/step-budget.js';
import type { CelExpression } from './parser.js';
import type { CelValue } from './values.js';

/** Names that an expression sees; each macro adds one. */
export interface CelScope {
  readonly name: string;
  readonly value: CelValue;
  readonly outer: CelScope | undefined;
}

/** One run of an expression. */
export interface CelRun {
  evaluate(expression: CelExpression, scope: CelScope | undefined): CelValue;
  readonly budget: StepBudget;
}

/** Answers undefined when it is not for such arguments; a method takes its receiver first. */
export type CelFunction = (args: CelValue[], run: CelRun) => CelValue | undefined;
export type CelFunctions = Record<string, CelFunction>;
