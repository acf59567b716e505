import { isObject, type Json } from '../../core/json/json.js';

/** An unpaired surrogate, or NUL: PostgreSQL stores neither in text nor in jsonb. */
const UNSTORABLE_TEXT = /[\0\p{Cs}]/u;

/**
 * Whether JSON that was parsed without positions can be stored: no deeper than `depth`, no key that would reach the prototype, no infinite number, and only valid text.
 * Faulty JSON is read again with positions, which locates the faults. `source` is the text it was parsed from: only escapes can produce text that cannot be stored.
 */
export function isStorableJson(value: Json, source: string, depth: number): boolean {
  const escapes = source.includes('\\u');
  const isStorable = (node: Json, left: number): boolean => {
    if (typeof node === 'string') return !escapes || !UNSTORABLE_TEXT.test(node);
    if (typeof node === 'number') return Number.isFinite(node);
    if (typeof node !== 'object' || node === null) return true;
    if (left === 0) return false;
    if (!isObject(node)) return node.every((item) => isStorable(item, left - 1));
    for (const key in node) {
      if (key === '__proto__' || (escapes && UNSTORABLE_TEXT.test(key))) return false;
      if (!isStorable(node[key] ?? null, left - 1)) return false;
    }
    return true;
  };
  return isStorable(value, depth);
}
