import type { StepBudget } from '../schema/step-budget.js';
import type { CelExpression } from './parser.js';
import type { CelValue } from './values.js';

/** The variables of an expression; each macro adds a nested scope. */
export interface CelScope {
  readonly name: string;
  readonly value: CelValue;
  readonly outer: CelScope | undefined;
}

/** One evaluation of an expression. */
export interface CelRun {
  evaluate(expression: CelExpression, scope: CelScope | undefined): CelValue;
  readonly budget: StepBudget;
}

/** Returns undefined when it has no overload for the arguments. The first argument of a method is its receiver. */
export type CelFunction = (args: CelValue[], run: CelRun) => CelValue | undefined;
export type CelFunctions = Record<string, CelFunction>;
