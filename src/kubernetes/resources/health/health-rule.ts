import { parsePointer } from '../../../core/json/json-pointer.js';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import type { HealthStatus, Judgement } from './health-status.js';

type Value = string | number | boolean | null;

/** The pointer of a field of the object; with a leading dot, of the value of a list or map that is being tested. */
type Reference = `/${string}` | `./${string}`;

/** A number, a reference to one, or the difference of two. */
type Operand = number | Reference | readonly [Reference, Reference];

/** What must hold of a value, all of it. Numbers that are absent count as 0, `/spec/replicas` as 1. */
interface Comparison {
  not?: Value | readonly Value[];
  startsWith?: string;
  /** Compares numbers, or two texts such as times. */
  below?: Operand;
  above?: Operand;
  atLeast?: Operand;
  equals?: Reference;
  differs?: Reference;
  /** Of a list or a map: tests of its values. An empty one has neither `some` nor `every`. */
  some?: Tests;
  every?: Tests;
  none?: Tests;
}

/** A value, or one of several; null for what is absent or empty; or comparisons. */
type Test = Value | readonly Value[] | Comparison;

/**
 * Tests by what they are of. A pointer is a field of the object. Any other key is the type of a condition (`*`: any type), whose
 * status is compared, or another field of it with `<type>.reason` and the like; all tests of one type are of the same condition.
 */
export type Tests = Readonly<Record<string, Test>>;

interface LineOptions {
  /** Why it is not healthy; `{/pointer}` stands for a field. By default: what the condition or the status says. */
  message?: string;
  /** It does not become healthy without being changed, so that waiting for it is useless. */
  isFinal?: boolean;
  /** It waits for something that no deployment brings, so that it is not waited for. */
  isOutside?: boolean;
  /** `Suspended` though nobody paused it, so that it is waited for. */
  isStuck?: boolean;
}

/** The health of objects for which all tests hold, with the message or other options. */
export type RuleLine = readonly [status: HealthStatus, tests: Tests, options?: string | LineOptions];

/** The first line whose tests hold decides; when none does, the object is `Progressing`. */
export type RuleLines = readonly RuleLine[];

/** A rule that lines cannot express. Fields may be malformed; an error that it throws is taken for `Unknown`. */
export type HealthRule = (object: KubernetesObject) => Judgement;

/** Rules by `<group>/<kind>`. Kinds are separated by commas, `*` is any kind, and `*.<domain>` any group below the domain. */
export type HealthRules = Readonly<Record<string, RuleLines | HealthRule>>;

type Fields = Record<string, unknown>;

interface Scope {
  /** The object, or the value of a list or map that is being tested. */
  fields: Fields;
  conditions: readonly Fields[];
  object: Fields;
}

type Read = (scope: Scope) => unknown;
type Check = (found: unknown, scope: Scope) => boolean;

interface CompiledTests {
  fields: { name: string; read: Read; check: Check }[];
  conditions: { type: string; checks: { field: string; check: Check }[]; isAbsent: boolean }[];
}

const NO_TESTS: CompiledTests = { fields: [], conditions: [] };
const UNREPORTED = 'Its controller has not reported its state yet';

/** Makes a rule of its lines. */
export function compileRule(lines: RuleLines): HealthRule {
  const compiled = lines.map(([status, tests, options = {}]) => {
    const { message, ...flags } = typeof options === 'string' ? { message: options } : options;
    return { status, tests: compileTests(tests), message, flags };
  });
  return (object) => {
    const scope = { fields: object, conditions: listConditions(toFields(object['status'])), object };
    for (const { status, tests, message, flags } of compiled) {
      const found = findHolding(tests, scope);
      if (!found) continue;
      if (message !== undefined) return { status, message: fillIn(message, scope), ...flags };
      return { status, message: status === 'Healthy' ? null : explain(tests, found.condition, scope), ...flags };
    }
    const isReported = Object.keys(toFields(object['status'])).length > 0;
    return { status: 'Progressing', message: isReported ? explain(NO_TESTS, undefined, scope) : UNREPORTED };
  };
}

const CONDITION_FIELD = /^(.+)\.(reason|message|severity|observedGeneration)$/;

function compileTests(tests: Tests): CompiledTests {
  const compiled: CompiledTests = { fields: [], conditions: [] };
  for (const [key, test] of Object.entries(tests)) {
    if (key.startsWith('/')) {
      const path = parsePointer(key);
      const name = path.at(-1) ?? '';
      compiled.fields.push({ name, read: ({ fields }) => read(fields, path), check: compileTest(test, key) });
      continue;
    }
    const [, type = key, field = 'status'] = CONDITION_FIELD.exec(key) ?? [];
    let group = compiled.conditions.find((one) => one.type === type);
    if (!group) compiled.conditions.push((group = { type, checks: [], isAbsent: test === null && field === 'status' }));
    group.checks.push({ field, check: compileTest(test, key) });
  }
  return compiled;
}

function compileTest(test: Test, key: string): Check {
  if (test === null || typeof test !== 'object') return (found) => isEqual(found, test);
  if (Array.isArray(test)) return (found) => (test as Value[]).some((one) => isEqual(found, one));
  const { not, startsWith, below, above, atLeast, equals, differs, some, every, none } = test as Comparison;
  const checks: Check[] = [];
  if (not !== undefined) {
    const unwanted = compileTest(not, key);
    checks.push((found, scope) => !unwanted(found, scope));
  }
  if (startsWith !== undefined) checks.push((found) => typeof found === 'string' && found.startsWith(startsWith));
  if (below !== undefined) checks.push(compileOrder(below, key, (difference) => difference < 0));
  if (above !== undefined) checks.push(compileOrder(above, key, (difference) => difference > 0));
  if (atLeast !== undefined) checks.push(compileOrder(atLeast, key, (difference) => difference >= 0));
  if (equals !== undefined) checks.push(compileSame(equals, true));
  if (differs !== undefined) checks.push(compileSame(differs, false));
  if (some) checks.push(compileValues(some, (values, holds) => values.some(holds)));
  if (every) checks.push(compileValues(every, (values, holds) => values.length > 0 && values.every(holds)));
  if (none) checks.push(compileValues(none, (values, holds) => !values.some(holds)));
  return (found, scope) => checks.every((check) => check(found, scope));
}

function compileOrder(operand: Operand, key: string, isWanted: (difference: number) => boolean): Check {
  const other = compileOperand(operand);
  return (found, scope) => {
    const to = other(scope);
    // Times, which are texts of one form.
    if (typeof found === 'string' && typeof to === 'string') return isWanted(found < to ? -1 : found > to ? 1 : 0);
    return isWanted(toNumber(found, key) - toNumber(to));
  };
}

function compileOperand(operand: Operand): Read {
  if (typeof operand === 'number') return () => operand;
  if (typeof operand !== 'string') {
    const [from, less] = [compileOperand(operand[0]), compileOperand(operand[1])];
    return (scope) => toNumber(from(scope)) - toNumber(less(scope));
  }
  const find = compileReference(operand);
  return (scope) => {
    const found = find(scope);
    return isAbsent(found) ? toNumber(undefined, operand) : found;
  };
}

function compileReference(reference: Reference): Read {
  if (reference.startsWith('.')) {
    const path = parsePointer(reference.slice(1));
    return ({ fields }) => read(fields, path);
  }
  const path = parsePointer(reference);
  return ({ object }) => read(object, path);
}

function compileSame(reference: Reference, wanted: boolean): Check {
  const other = compileReference(reference);
  return (found, scope) => {
    const to = other(scope);
    return (
      (isAbsent(found) || isAbsent(to) ? isAbsent(found) && isAbsent(to) : toText(found) === toText(to)) === wanted
    );
  };
}

function compileValues(
  tests: Tests,
  combine: (values: unknown[], holds: (value: unknown) => boolean) => boolean,
): Check {
  const compiled = compileTests(tests);
  return (found, { object }) => {
    const values = Array.isArray(found) ? (found as unknown[]) : Object.values(toFields(found));
    return combine(values, (value) => {
      const fields = toFields(value);
      return findHolding(compiled, { fields, conditions: listConditions(fields), object }) !== undefined;
    });
  };
}

/** @returns undefined when a test does not hold, else with the first condition that was tested, if any */
function findHolding({ fields, conditions }: CompiledTests, scope: Scope): { condition?: Fields } | undefined {
  if (!fields.every(({ read: find, check }) => check(find(scope), scope))) return undefined;
  let condition: Fields | undefined;
  for (const { type, checks, isAbsent: isUnwanted } of conditions) {
    const alike = type === '*' ? scope.conditions : scope.conditions.filter((one) => one['type'] === type);
    const found = isUnwanted
      ? alike.length === 0
      : alike.find((one) => checks.every(({ field, check }) => check(toWord(one[field]), scope)));
    if (!found) return undefined;
    if (found !== true) condition ??= found;
  }
  return { condition };
}

/** Some write the status of a condition as a boolean. */
const toWord = (value: unknown): unknown => (typeof value === 'boolean' ? (value ? 'True' : 'False') : value);

const toFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

function listConditions({ conditions }: Fields): Fields[] {
  return Array.isArray(conditions) ? (conditions as unknown[]).map(toFields) : [];
}

function read(fields: Fields, path: readonly string[]): unknown {
  let found: unknown = fields;
  for (const segment of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, segment)) return undefined;
    found = (found as Fields)[segment];
  }
  return found;
}

const isAbsent = (found: unknown): boolean =>
  found === undefined || found === null || found === '' || (Array.isArray(found) && found.length === 0);

const isEqual = (found: unknown, value: Value): boolean =>
  value === null ? isAbsent(found) : toText(found) === String(value);

/** A value that is no number compares with nothing. */
function toNumber(value: unknown, key?: string): number {
  if (isAbsent(value)) return key === '/spec/replicas' ? 1 : 0;
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function fillIn(message: string, scope: Scope): string {
  return message.replace(/\{(\/[^{}]+)\}/g, (_, pointer: Reference) => toText(compileOperand(pointer)(scope)));
}

/** Fields of a status in which controllers say how far they are, and why. */
const WORDS = ['phase', 'state', 'status'];
const REASONS = ['message', 'phaseReason', 'errorMessage', 'failureMessage', 'description', 'reason', 'error'];

/** Why an object is not healthy: what the condition says that was tested, or the status, or what was tested in it. */
function explain({ fields }: CompiledTests, condition: Fields | undefined, scope: Scope): string {
  if (condition) {
    const { type, status, reason, message } = condition;
    return joinTexts([reason, message]) || `${toText(type)} is ${toText(status)}`;
  }
  const status = toFields(scope.object['status']);
  const words = [
    ...fields.map(({ name, read: find }) => ({ name, value: find(scope) })),
    ...WORDS.map((name) => ({ name, value: status[name] })),
  ];
  const word = words.find(({ value }) => !isAbsent(value) && typeof value !== 'object');
  const [reason] = REASONS.map((name) => joinTexts([status[name], toFields(status[name])['message']])).filter(Boolean);
  return joinTexts([word && `${word.name} is ${toText(word.value)}`, reason]) || 'Its controller has not reported why';
}

const joinTexts = (parts: unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(': ');
