import { createHash } from 'node:crypto';
import { type FieldSet, isFieldSet, mergeFieldSets, pickFields } from '../clusters/field-set.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import { findAppliedFields } from '../clusters/owner-labels.js';

/** What this server applied to an object: also the fields that other managers have taken over since. */
export interface AppliedFields {
  /** When it was applied. The API server leaves the time as it is when another manager takes fields over. */
  at: string;
  fields: FieldSet;
}

/** Characters of the JSON of one set; of a larger one whole parts of the object stand for their fields. */
const MAX_FIELDS = 64 * 1024;

/** @param known what was stored for the same object; null when it has not been seen before */
export function rememberApplied(object: KubernetesObject, known: AppliedFields | null): AppliedFields | null {
  const entry = findAppliedFields(object);
  if (!entry) return known;
  return combineApplied(known, { at: entry.time ?? '', fields: toBounded(entry.fieldsV1 ?? {}) });
}

/** What is known of the same object from two sources; the later one where it was applied again in between. */
export function combineApplied(earlier: AppliedFields | null, later: AppliedFields | null): AppliedFields | null {
  if (!earlier || !later || earlier.at !== later.at) return later ?? earlier;
  return { at: later.at, fields: toBounded(mergeFieldSets(earlier.fields, later.fields)) };
}

/**
 * Stands for the values at these fields: it differs once one of them does. Of a Secret it stands for its version, since short
 * values could be guessed from a digest.
 */
export function digestApplied(kind: string, object: KubernetesObject, { fields }: AppliedFields): string {
  if (kind === 'Secret') return `version ${object.metadata.resourceVersion}`;
  const values = JSON.stringify(pickFields(fields, object));
  return createHash('sha256').update(values).digest('base64url');
}

function toBounded(fields: FieldSet): FieldSet {
  if (JSON.stringify(fields).length <= MAX_FIELDS) return fields;
  const { 'f:metadata': metadata, ...parts } = fields;
  return { ...(isFieldSet(metadata) && { 'f:metadata': toWholes(metadata) }), ...toWholes(parts) };
}

const toWholes = (fields: FieldSet): FieldSet => Object.fromEntries(Object.keys(fields).map((member) => [member, {}]));
