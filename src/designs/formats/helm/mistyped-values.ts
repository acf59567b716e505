import type { Fault } from '../../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';

/** The maximum number of listed faults. */
const MAX_LISTED = 20;

/**
 * The given values whose type differs from the chart's: a mapping for text, a list for a mapping. Values that the
 * chart leaves empty may have any type.
 */
export function findMistypedValues(sent: JsonObject, defaults: JsonObject): Fault[] {
  const faults: Fault[] = [];
  const open: { sent: JsonObject; defaults: JsonObject; path: string[] }[] = [{ sent, defaults, path: [] }];
  for (let next = open.pop(); next && faults.length < MAX_LISTED; next = open.pop()) {
    for (const [key, value] of Object.entries(next.sent)) {
      const preset = Object.hasOwn(next.defaults, key) ? (next.defaults[key] ?? null) : null;
      const path = [...next.path, key];
      if (isObject(value) && isObject(preset)) open.push({ sent: value, defaults: preset, path });
      else if (value !== null && preset !== null && kindOf(value) !== kindOf(preset))
        faults.push(mistyped(path, value, preset));
    }
  }
  return faults.slice(0, MAX_LISTED);
}

function mistyped(path: string[], value: Json, preset: Json): Fault {
  return {
    pointer: toPointer('values', ...path),
    detail: `the value of ${path.join('.')} is ${kindOf(value)}, where the chart has ${kindOf(preset)}`,
    remedy: `Send ${kindOf(preset)}.`,
  };
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'a mapping' : 'a single value';
}
