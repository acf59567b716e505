import type { Fault } from '../errors/app-error.js';
import { findClosestName } from '../closest-name.js';
import { escapePointerSegment } from '../json/storable-json.js';
import { getMemberRule, getMembers } from '../schema/members.js';
import type { FaultList } from './fault-list.js';

/** The same text for the spellings of a name: `organizationId`, `organization_id`. */
export const foldKey = (key: string): string => key.replace(/[_-]/g, '').toLowerCase();

/** @param known the names that it may be a misspelling of */
export function unknownFieldFault(parent: string, key: string, known: Iterable<string>): Fault {
  const close = findClosestName(key, known);
  return {
    pointer: `${parent}/${escapePointerSegment(key)}`,
    detail: 'is not a field of this request',
    ...(close === undefined ? {} : { remedy: `Did you mean "${close}"?` }),
  };
}

/**
 * The value of a field with its members, or those of each object in a list, by their names whatever their spelling.
 * Members that the field does not have, or that break their rule, are faults.
 */
export function nameMembers(input: object, field: string, value: unknown, faults: FaultList): unknown {
  const known = getMembers(input, field);
  if (!known) return value;
  const names = new Map(known.map((name) => [foldKey(name), name]));
  const nameEach = (each: unknown, pointer: string): unknown => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const members = new Map<string, unknown>();
    for (const [key, member] of Object.entries(each)) {
      const name = names.get(foldKey(key));
      if (name === undefined) faults.add(() => unknownFieldFault(pointer, key, known));
      else if (isContradiction(members, name, member))
        faults.add(() => duplicateFault(`${pointer}/${escapePointerSegment(key)}`));
      else {
        members.set(name, member);
        const detail = getMemberRule(input, field, name)?.(member);
        if (detail !== undefined) faults.add(() => ({ pointer: `${pointer}/${escapePointerSegment(key)}`, detail }));
      }
    }
    return Object.fromEntries(members);
  };
  if (!Array.isArray(value)) return nameEach(value, `/${field}`);
  return value.map((each, index) => nameEach(each, `/${field}/${index}`));
}

/** Reports whether another spelling of the same name had a different value. */
export const isContradiction = (taken: ReadonlyMap<string, unknown>, name: string, value: unknown): boolean =>
  taken.has(name) && taken.get(name) !== value;

export const duplicateFault = (pointer: string): Fault => ({
  pointer,
  detail: 'is given more than once, in different spellings',
});
