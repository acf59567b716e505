import { createHash } from 'node:crypto';
import { type FieldSet, isFieldSet, mergeFieldSets, pickFields } from '../clusters/field-set.js';
import { findPersonFields } from '../clusters/field-managers.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import { findAppliedFields } from '../clusters/owner-labels.js';

/** The fields of an object that this server applied, including fields that other managers have taken over since. */
export interface AppliedFields {
  /** The time of the apply; the API server keeps it when another manager takes over fields. */
  at: string;
  fields: FieldSet;
}

/** The maximum size of a field set as JSON; in a larger one, parents replace their fields. */
const MAX_FIELDS = 64 * 1024;

/** @param known the stored state of the same object; null when it is new */
export function rememberApplied(object: KubernetesObject, known: AppliedFields | null): AppliedFields | null {
  const entry = findAppliedFields(object);
  if (!entry) return known;
  return combineApplied(known, { at: entry.time ?? '', fields: toBounded(entry.fieldsV1 ?? {}) });
}

/** Combines what two sources know of an object; the later one wins when the object was applied again in between. */
export function combineApplied(earlier: AppliedFields | null, later: AppliedFields | null): AppliedFields | null {
  if (!earlier || !later || earlier.at !== later.at) return later ?? earlier;
  return { at: later.at, fields: toBounded(mergeFieldSets(earlier.fields, later.fields)) };
}

/**
 * Computes a digest of the values at these fields, and of what people have added to the object, to detect changes. For a Secret it uses the resource version,
 * because short values could be guessed from a digest.
 */
export function digestApplied(kind: string, object: KubernetesObject, { fields }: AppliedFields): string {
  if (kind === 'Secret') return `version ${object.metadata.resourceVersion}`;
  const added = findPersonFields(object).map((one) => pickFields(one.fields, object));
  const applied = pickFields(fields, object);
  const values = JSON.stringify(added.length > 0 ? [applied, added] : applied);
  return createHash('sha256').update(values).digest('base64url');
}

function toBounded(fields: FieldSet): FieldSet {
  if (JSON.stringify(fields).length <= MAX_FIELDS) return fields;
  const { 'f:metadata': metadata, ...parts } = fields;
  return { ...(isFieldSet(metadata) && { 'f:metadata': toWholes(metadata) }), ...toWholes(parts) };
}

const toWholes = (fields: FieldSet): FieldSet => Object.fromEntries(Object.keys(fields).map((member) => [member, {}]));
