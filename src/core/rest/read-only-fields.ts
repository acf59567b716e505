import { SetMetadata } from '@nestjs/common';
import { InvalidRequest } from '../errors/app-error.js';
import { getFieldNames } from '../schema/view-fields.js';

type ViewClass = abstract new (...args: never[]) => object;

const UPDATED_VIEW = 'armature:updated-view';
/** The key of what a body said of fields that cannot be written: no field of the input. */
const READ_ONLY_FIELDS = Symbol('read-only fields');

/** Names the view of the record that an input writes, so that fields of the record which cannot be written are known. */
export const UpdatesView = (view: () => ViewClass): ClassDecorator => SetMetadata(UPDATED_VIEW, view);

/** The fields of the record that this input writes, or none when it writes no record. */
export function getRecordFields(input: abstract new (...args: never[]) => object): Set<string> {
  const view = Reflect.getMetadata(UPDATED_VIEW, input) as (() => ViewClass) | undefined;
  return view ? getFieldNames(view()) : new Set();
}

/** Keeps what a body said of fields that cannot be written, until the stored record is at hand. */
export function storeReadOnlyFields(input: object, echoed: Record<string, unknown>): void {
  Object.defineProperty(input, READ_ONLY_FIELDS, { value: echoed });
}

const getReadOnlyFields = (input: object): Record<string, unknown> =>
  (input as { [READ_ONLY_FIELDS]?: Record<string, unknown> })[READ_ONLY_FIELDS] ?? {};

/** What the body said of a field that cannot be written. */
export const getReadOnlyField = (input: object, name: string): unknown => getReadOnlyFields(input)[name];

/** Whether the body said something of a field that cannot be written. */
export const hasReadOnlyField = (input: object, name: string): boolean => Object.hasOwn(getReadOnlyFields(input), name);

/** Whether the body said something of a content that cannot be written; what lists left empty says nothing. */
export const hasReadOnlyContent = (input: object, name: string): boolean => Boolean(getReadOnlyFields(input)[name]);

/**
 * Lets read-change-write pass: fields that cannot be written may be sent as they are stored.
 * @param remedies by field, what to send instead
 * @throws InvalidRequest READ_ONLY_FIELD naming each one that differs
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

/** Only the fields that were sent: what is undefined stays as it is. */
export function definedFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The value of an optional field: `null` clears it to its empty value. */
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

/** Clients write the same instant in their own way. */
function isSameTime(a: string, b: string): boolean {
  const iso = /^\d{4}-\d{2}-\d{2}T/;
  return iso.test(a) && iso.test(b) && Date.parse(a) === Date.parse(b);
}
