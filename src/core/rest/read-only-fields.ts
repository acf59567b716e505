import { InvalidRequest } from '../errors/app-error.js';
import { getFieldNames } from '../schema/view-fields.js';

type ViewClass = abstract new (...args: never[]) => object;

const viewByInput = new WeakMap<object, () => ViewClass>();

/** Names the view of the record that an input writes, so that fields of the record which cannot be written are known. */
export const UpdatesView =
  (view: () => ViewClass): ClassDecorator =>
  (target) => {
    viewByInput.set(target.prototype as object, view);
  };

/** The fields of the record that this input writes, or none when it writes no record. */
export function getRecordFields(input: abstract new (...args: never[]) => object): Set<string> {
  for (let at = input.prototype as object | null; at; at = Object.getPrototypeOf(at) as object | null) {
    const view = viewByInput.get(at);
    if (view) return getFieldNames(view());
  }
  return new Set();
}

const readOnlyFieldsByInput = new WeakMap<object, Record<string, unknown>>();

/** Keeps what a body said of fields that cannot be written, until the stored record is at hand. */
export function storeReadOnlyFields(input: object, echoed: Record<string, unknown>): void {
  readOnlyFieldsByInput.set(input, echoed);
}

/** Whether the body said something of a field that cannot be written. */
export const hasReadOnlyField = (input: object, name: string): boolean =>
  Object.hasOwn(readOnlyFieldsByInput.get(input) ?? {}, name);

/**
 * Lets read-change-write pass: fields that cannot be written may be sent as they are stored.
 * @throws InvalidRequest READ_ONLY_FIELD naming each one that differs
 */
export function assertReadOnlyUnchanged(input: object, stored: object): void {
  const current = JSON.parse(JSON.stringify(stored)) as Record<string, unknown>;
  const errors = Object.entries(readOnlyFieldsByInput.get(input) ?? {})
    .filter(([name, value]) => !isSameValue(value, current[name] ?? null))
    .map(([name]) => ({ pointer: `/${name}`, detail: 'cannot be written' }));
  if (errors.length > 0) throw readOnlyFieldError(errors);
}

/** Only the fields that were sent: what is undefined stays as it is. */
export function definedFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** The value of an optional field: `null` clears it to its empty value. */
export const nullToEmpty = <T>(value: T | null | undefined, empty: T): T | undefined =>
  value === null ? empty : value;

export function readOnlyFieldError(errors: { pointer: string; detail: string }[]): InvalidRequest {
  return new InvalidRequest(`${errors.map((e) => e.pointer.slice(1)).join(', ')} cannot be written`, {
    code: 'READ_ONLY_FIELD',
    errors,
    remedy: 'Leave these fields out, or send them as they are stored.',
  });
}

function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'string' && typeof b === 'string') return isSameTime(a, b);
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => isSameValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

/** Clients write the same instant in their own way. */
function isSameTime(a: string, b: string): boolean {
  const iso = /^\d{4}-\d{2}-\d{2}T/;
  return iso.test(a) && iso.test(b) && Date.parse(a) === Date.parse(b);
}
