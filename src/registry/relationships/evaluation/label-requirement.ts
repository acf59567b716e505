import { isObject, type Json, type JsonObject, asObject } from '../../../core/json/json.js';

/** The requirements of a Kubernetes label selector. */
export interface LabelRequirement {
  /** Labels with their required values. */
  pairs: [key: string, value: string][];
  expressions: { key: string; operator: string; values: string[] }[];
  /** As shown in a sentence: `app=web, tier in (a, b)`; empty when everything matches. */
  text: string;
}

const OPERATORS = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/** Reads a LabelSelector (`matchLabels`, `matchExpressions`); undefined for one that an API server would refuse. */
export function parseLabelSelector(selector: Json | undefined): LabelRequirement | undefined {
  if (!isObject(selector)) return undefined;
  const pairs = parsePairs(asObject(selector['matchLabels']));
  const listed = selector['matchExpressions'] ?? [];
  if (pairs === undefined || !Array.isArray(listed)) return undefined;
  const expressions: LabelRequirement['expressions'] = [];
  for (const entry of listed) {
    const { key, operator, values } = asObject(entry);
    if (typeof key !== 'string' || typeof operator !== 'string' || !OPERATORS.has(operator)) return undefined;
    expressions.push({ key, operator, values: Array.isArray(values) ? values.map(toLabelText) : [] });
  }
  return {
    pairs,
    expressions,
    text: [...pairs.map((pair) => pair.join('=')), ...expressions.map(formatExpression)].join(', '),
  };
}

/** Reads a plain map of labels, as in a Service; an empty one selects nothing and is undefined. */
export function parseLabelMap(selector: Json | undefined): LabelRequirement | undefined {
  const pairs = parsePairs(asObject(selector));
  if (pairs === undefined || pairs.length === 0) return undefined;
  return { pairs, expressions: [], text: pairs.map((pair) => pair.join('=')).join(', ') };
}

export function matchesLabels(labels: JsonObject, { pairs, expressions }: LabelRequirement): boolean {
  const valueOf = (key: string): string | undefined =>
    Object.hasOwn(labels, key) ? toLabelText(labels[key] ?? null) : undefined;
  return (
    pairs.every(([key, value]) => valueOf(key) === value) &&
    expressions.every(({ key, operator, values }) => {
      const value = valueOf(key);
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const among = value !== undefined && values.includes(value);
      return operator === 'In' ? among : !among;
    })
  );
}

function parsePairs(map: JsonObject): [string, string][] | undefined {
  const entries = Object.entries(map);
  return entries.some(([, value]) => typeof value === 'object')
    ? undefined
    : entries.map(([key, value]) => [key, toLabelText(value)]);
}

function formatExpression({ key, operator, values }: LabelRequirement['expressions'][number]): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `no ${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'not in'} (${values.join(', ')})`;
}

/** Unquoted numbers and booleans are compared as text. */
export function toLabelText(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
