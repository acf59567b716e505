import { SetMetadata } from '@nestjs/common';
import { InvalidRequest } from '../errors/app-error.js';
import { getFieldNames } from '../schema/view-fields.js';

type ViewClass = abstract new (...args: never[]) => object;

const UPDATED_VIEW = 'armature:updated-view';
/** The key of the read-only fields of a body, which are no properties of the input. */
const READ_ONLY_FIELDS = Symbol('read-only fields');

/** Names the view of the record that an input changes, from which its read-only fields are known. */
export const UpdatesView = (view: () => ViewClass): ClassDecorator => SetMetadata(UPDATED_VIEW, view);

/** The view of the record that this input changes; undefined when it changes none. */
export const getUpdatedView = (input: ViewClass): ViewClass | undefined =>
  (Reflect.getMetadata(UPDATED_VIEW, input) as (() => ViewClass) | undefined)?.();

/** The fields of the record that this input changes; empty when it changes none. */
export function getRecordFields(input: ViewClass): Set<string> {
  const view = getUpdatedView(input);
  return view ? getFieldNames(view) : new Set();
}

/** Stores the read-only fields of a body for the comparison with the record. */
export function storeReadOnlyFields(input: object, echoed: Record<string, unknown>): void {
  Object.defineProperty(input, READ_ONLY_FIELDS, { value: echoed });
}

const getReadOnlyFields = (input: object): Record<string, unknown> =>
  (input as { [READ_ONLY_FIELDS]?: Record<string, unknown> })[READ_ONLY_FIELDS] ?? {};

/** Returns the value of a read-only field of the body. */
export const getReadOnlyField = (input: object, name: string): unknown => getReadOnlyFields(input)[name];

/** Reports whether the body contains a read-only field. */
export const hasReadOnlyField = (input: object, name: string): boolean => Object.hasOwn(getReadOnlyFields(input), name);

/** Reports whether the body contains a non-empty read-only content; lists return contents empty. */
export const hasReadOnlyContent = (input: object, name: string): boolean => Boolean(getReadOnlyFields(input)[name]);

/**
 * Accepts read-only fields with their stored values, so that clients can send back a record that they have read.
 * @param remedies what to send instead, by field
 * @throws InvalidRequest READ_ONLY_FIELD listing each field that differs
 */
export function assertReadOnlyUnchanged(
  input: object,
  stored: object,
  remedies: Readonly<Record<string, string>> = {},
): void {
  const current = JSON.parse(JSON.stringify(stored)) as Record<string, unknown>;
  const errors = Object.entries(getReadOnlyFields(input))
    .filter(([name, value]) => !isSameValue(value, current[name] ?? null))
    .map(([name]) => ({
      pointer: `/${name}`,
      detail: 'cannot be written',
      ...(remedies[name] ? { remedy: remedies[name] } : {}),
    }));
  if (errors.length > 0) throw readOnlyFieldError(errors);
}

/** Omits undefined fields, which leave the stored value unchanged. */
export function definedFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** Maps null, which clears an optional field, to its empty value. */
export const nullToEmpty = <T>(value: T | null | undefined, empty: T): T | undefined =>
  value === null ? empty : value;

export function readOnlyFieldError(errors: { pointer: string; detail: string; remedy?: string }[]): InvalidRequest {
  return new InvalidRequest(`${errors.map((e) => e.pointer.slice(1)).join(', ')} cannot be written`, {
    code: 'READ_ONLY_FIELD',
    errors,
    remedy: errors.find(({ remedy }) => remedy)?.remedy ?? 'Leave these fields out, or send them as they are stored.',
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

/** Compares times regardless of their notation. */
function isSameTime(a: string, b: string): boolean {
  const iso = /^\d{4}-\d{2}-\d{2}T/;
  return iso.test(a) && iso.test(b) && Date.parse(a) === Date.parse(b);
}
