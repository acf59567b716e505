import { type FieldSet, subtractFieldSets } from './field-set.js';
import { type ManagedFields, managedFieldsOf, type ObjectMetadata } from './kubernetes-object.js';
import { FIELD_MANAGER } from './owner-labels.js';

/** Programs with which people change objects by hand. All commands of kubectl begin with its name. */
const PERSON_MANAGERS =
  /^(?:kubectl|oc|k9s|lens|openlens|freelens|headlamp|dashboard|kubernetes-dashboard|octant|rancher|mozilla|curl|httpie)(?:$|[^a-z0-9])/i;

/** Whether a person has written these fields, and not by a subresource such as `scale`. */
const isPersonEntry = ({ manager = '', subresource }: ManagedFields): boolean =>
  !subresource && PERSON_MANAGERS.test(manager);

/** Parts of an object that specify nothing: its identity, its contents, and what controllers report. */
const UNSPECIFIC = new Set(['apiVersion', 'kind', 'metadata', 'status', 'data', 'binaryData', 'stringData']);

/** The annotation with which `kubectl rollout restart` restarts a workload. */
const RESTARTED_AT: FieldSet = {
  'f:spec': { 'f:template': { 'f:metadata': { 'f:annotations': { 'f:kubectl.kubernetes.io/restartedAt': {} } } } },
};

/** The fields that people own in the specification of an object (`spec`, `rules`, `webhooks` …), by manager. */
export function findPersonFields(object: ObjectMetadata): { entry: ManagedFields; fields: FieldSet }[] {
  return managedFieldsOf(object)
    .filter(isPersonEntry)
    .flatMap((entry) => {
      const parts = Object.entries(subtractFieldSets(entry.fieldsV1 ?? {}, RESTARTED_AT)).filter(
        ([member]) => !UNSPECIFIC.has(member.slice(2)),
      );
      return parts.length > 0 ? [{ entry, fields: Object.fromEntries(parts) }] : [];
    });
}

/** The entries of managers other than this server. */
export const findOtherEntries = (object: ObjectMetadata): ManagedFields[] =>
  managedFieldsOf(object).filter(({ manager }) => manager !== FIELD_MANAGER);
