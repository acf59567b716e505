import { isDeepStrictEqual } from 'node:util';
import { subtractFieldSets } from '../../kubernetes/clusters/field-set.js';
import { type KubernetesObject, managedFieldsOf } from '../../kubernetes/clusters/kubernetes-object.js';
import { fieldsOfOthers, findToolEntries, isSameEntry } from '../plan/field-ownership.js';
import { findAppliedFields, isOwnedBy, type Owner } from '../plan/owner.js';
import { type AppliedChange } from './applied-change.js';
import { appliedConfiguration } from './applied-configuration.js';

/**
 * Whether a recorded change of an object was not made, as far as the live object shows. Deletions, hooks and
 * definitions of charts are recorded right before they are made, and count as made.
 */
export function isUnmade(
  { action, previous, hook, isChartDefinition }: AppliedChange,
  live: KubernetesObject | undefined,
  owner: Owner,
): boolean {
  if (hook || isChartDefinition) return false;
  if (action === 'create') return !live || !isOwnedBy(owner, live);
  return action === 'update' && previous !== undefined && live !== undefined && isAsApplied(live, previous);
}

/**
 * Whether this server has applied nothing to an object since, whatever others have changed: it owns the same fields with the same
 * values, except those that others have taken over. The time alone is no proof, because it is in whole seconds.
 */
export function isAsApplied(now: KubernetesObject, previous: KubernetesObject): boolean {
  const [ours, before] = [findAppliedFields(now), findAppliedFields(previous)];
  if (now.metadata.uid !== previous.metadata.uid || now.apiVersion !== previous.apiVersion) return false;
  if (!ours || !before) return ours === before;
  if (ours.time !== before.time || ours.apiVersion !== before.apiVersion) return false;
  const [fields, fieldsBefore] = [ours.fieldsV1 ?? {}, before.fieldsV1 ?? {}];
  const added = subtractFieldSets(fields, fieldsBefore);
  const given = subtractFieldSets(subtractFieldSets(fieldsBefore, fields), fieldsOfOthers(now));
  const haveToolsLost = !findToolEntries(previous).every((one) =>
    managedFieldsOf(now).some((entry) => isSameEntry(one, entry)),
  );
  if (Object.keys(added).length > 0 || Object.keys(given).length > 0 || haveToolsLost) return false;
  const recorded = { ...previous, metadata: { ...previous.metadata, managedFields: [ours] } };
  return isDeepStrictEqual(appliedConfiguration(now), appliedConfiguration(recorded));
}
