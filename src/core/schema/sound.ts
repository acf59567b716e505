import type { Fault } from '../errors/app-error.js';

/** How deep a body may be nested: deeper than any design, and far from where recursion ends. */
const DEEPEST = 200;

const HALF_A_PAIR = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/**
 * What of a parsed body or query cannot be kept as it was sent: text that no database takes (the NUL character, half a
 * surrogate pair), numbers that became infinite, and nesting without end. Each fault is named by its pointer.
 */
export function unsound(value: unknown, pointer: string): Fault[] {
  const faults: Fault[] = [];
  const left = [{ value, pointer, depth: 0 }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value: at, pointer: where, depth } = next;
    const fault = typeof at === 'string' ? unsoundText(at) : typeof at === 'number' ? ofNumber(at) : undefined;
    if (fault) faults.push({ pointer: where, detail: fault });
    if (typeof at !== 'object' || at === null) continue;
    if (depth === DEEPEST) return [{ pointer: where, detail: `is nested deeper than ${DEEPEST} levels` }];
    for (const [key, child] of Object.entries(at).reverse()) {
      const inside = `${where.replace(/\/$/, '')}/${escape(key)}`;
      const ofKey = unsoundText(key);
      if (ofKey) faults.push({ pointer: printable(inside), detail: `has a name that ${ofKey}` });
      left.push({ value: child, pointer: printable(inside), depth: depth + 1 });
    }
  }
  return faults;
}

export const escape = (key: string): string => key.replace(/~/g, '~0').replace(/\//g, '~1');

/** Why a text cannot be kept, or nothing. */
export function unsoundText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  return HALF_A_PAIR.test(text) ? 'must not contain half of a surrogate pair' : undefined;
}

const ofNumber = (number: number): string | undefined =>
  Number.isFinite(number) ? undefined : 'must be a number that JSON can hold';

const printable = (pointer: string): string =>
  pointer.replaceAll('\0', '\\u0000').replace(new RegExp(HALF_A_PAIR, 'g'), '\uFFFD');
