import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../core/json/json.js';
import { findItems, type FieldSet, isFieldSet } from '../../kubernetes/clusters/field-set.js';
import { type KubernetesObject, managedFieldsOf } from '../../kubernetes/clusters/kubernetes-object.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { omitServerFields } from './field-changes.js';
import { fieldsOf, fieldsOfOthers } from './field-ownership.js';
import { findAppliedFields } from './owner.js';

/**
 * Fields that this server released and that an apply leaves all the same, because the API server copies them from another field
 * that nobody owns, as `serviceAccountName` from the deprecated `serviceAccount`; with those other fields.
 */
export function findLeftovers(live: KubernetesObject, outcome: KubernetesObject, desired: KubernetesObject): FieldSet {
  const [before, after] = [findAppliedFields(live)?.fieldsV1, findAppliedFields(outcome)?.fieldsV1];
  if (!before || !after) return {};
  return leftoversIn({ value: outcome, desired, before, after, others: fieldsOfOthers(outcome) });
}

interface Place {
  value: unknown;
  desired: unknown;
  /** The fields of this server before and after the apply, and those of other managers. */
  before: FieldSet;
  after: FieldSet;
  others: FieldSet;
}

function leftoversIn({ value, desired, before, after, others }: Place): FieldSet {
  const found: FieldSet = {};
  const visit = (member: string, inner: unknown, wanted: unknown): void => {
    const [was, is, theirs] = [before[member], after[member], others[member]].map((one) =>
      isFieldSet(one) ? one : undefined,
    );
    if (!was || !is) return;
    const left = leftoversIn({ value: inner, desired: wanted, before: was, after: is, others: theirs ?? {} });
    if (Object.keys(left).length > 0) found[member] = left;
  };
  if (Array.isArray(value) && Array.isArray(desired)) {
    const [items, wanted] = [findItems(value), findItems(desired)];
    for (const member of Object.keys(before).filter((one) => one.startsWith('k:')))
      visit(member, items(member), wanted(member));
    return found;
  }
  if (!isObject(value) || !isObject(desired)) return found;
  const isFree = (name: string): boolean =>
    desired[name] === undefined && !Object.hasOwn(after, `f:${name}`) && !Object.hasOwn(others, `f:${name}`);
  for (const [name, inner] of Object.entries(value)) {
    const member = `f:${name}`;
    if (desired[name] !== undefined) visit(member, inner, desired[name]);
    else if (Object.hasOwn(before, member) && isFree(name)) {
      const copies = Object.keys(value).filter(
        (other) => other !== name && isFree(other) && isDeepStrictEqual(value[other], inner),
      );
      if (copies.length > 0) for (const one of [name, ...copies]) found[`f:${one}`] = {};
    }
  }
  return found;
}

/** Fields that an object has and did not have before, and that no other manager owns; those of its status are not compared. */
export function findNewFields(kind: ResourceKind, now: KubernetesObject, previous: KubernetesObject): FieldSet {
  const known = fieldsOf([...managedFieldsOf(now), ...managedFieldsOf(previous)]);
  const [after, before] = [now, previous].map((object) => {
    const { metadata, status: _, ...fields } = omitServerFields(kind, object);
    const { labels, annotations } = metadata;
    return { ...fields, metadata: { labels, annotations } };
  });
  return addedIn({ after, before, others: fieldsOfOthers(now), known });
}

interface AddedPlace {
  after: unknown;
  before: unknown;
  others: FieldSet;
  /** The fields that any manager owns, which tell by what the items of a list are known. */
  known: FieldSet;
}

function addedIn({ after, before, others, known }: AddedPlace): FieldSet {
  const found: FieldSet = {};
  const at = (set: FieldSet, member: string): FieldSet => (isFieldSet(set[member]) ? set[member] : {});
  const visit = (member: string, inner: unknown, was: unknown): void => {
    if (was === undefined) {
      if (!Object.hasOwn(others, member)) found[member] = {};
      return;
    }
    const added = addedIn({ after: inner, before: was, others: at(others, member), known: at(known, member) });
    if (Object.keys(added).length > 0) found[member] = added;
  };
  if (Array.isArray(after) && Array.isArray(before)) {
    const [items, then] = [findItems(after), findItems(before)];
    for (const member of Object.keys(known).filter((one) => one.startsWith('k:'))) {
      const item = items(member);
      if (item !== undefined) visit(member, item, then(member));
    }
  } else if (isObject(after) && isObject(before))
    for (const [name, inner] of Object.entries(after)) if (inner !== undefined) visit(`f:${name}`, inner, before[name]);
  return found;
}

/** The fields of a set as paths, `spec.template.spec.serviceAccountName`. */
export function listFields(fields: FieldSet, path: string[] = []): string[] {
  const members = Object.keys(fields).filter((member) => member !== '.');
  if (members.length === 0) return [path.join('.')];
  return members.flatMap((member) => listFields(fields[member] as FieldSet, [...path, member.replace(/^[fkvi]:/, '')]));
}
