import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { redactSecretValues } from './redact-secret-values.js';
import { type ResourceError } from './planned-resource.js';

/** Maximum length of the field paths in one error, in characters. */
const MAX_FIELD_LENGTH = 1_000;

/** Whether the cluster as a whole has failed, so that the next resource would fail as well. */
export function isClusterFailure(error: unknown): boolean {
  if (!(error instanceof ClusterError)) return true;
  return ['unreachable', 'timeout', 'unauthorized', 'throttled', 'unavailable', 'protocol'].includes(error.kind);
}

/** Converts an error of the cluster to the error of one resource, without secret values. */
export function toResourceError(error: ClusterError, object: KubernetesObject): ResourceError {
  if (error.isUnserved) {
    const detail = `The cluster does not serve the kind ${object.kind} of ${object.apiVersion} any more`;
    return { reason: 'UNKNOWN_KIND', field: 'kind', detail };
  }
  const fields = error.causes.flatMap((cause) => cause.field ?? []);
  const field = sanitizeClusterText(
    fields.length > 0 ? fields.join(', ') : parseField(error.message),
    MAX_FIELD_LENGTH,
  );
  const reason = toReason(error);
  return { reason, ...(field && { field }), detail: describe(error, reason, object) };
}

function describe(error: ClusterError, reason: string, object: KubernetesObject): string {
  if (reason === 'NAMESPACE_NOT_FOUND')
    return `The namespace ${error.about.name} is neither on the cluster nor in the design`;
  if (reason === 'CONFLICT' && error.kind === 'invalid') return 'The object was deleted and created again concurrently';
  if (reason === 'DUPLICATE') return describeRepeatedItems(error.message, object);
  const said = redactSecretValues(error.message, object);
  const fields = error.causes.flatMap((cause) => cause.field ?? []);
  return reason === 'IMMUTABLE' && fields.length > 0
    ? `${sanitizeClusterText(fields.join(', '), MAX_FIELD_LENGTH)} cannot be changed once the object exists: ${said}`
    : said;
}

function toReason(error: ClusterError): string {
  const { message, causes } = error;
  if (causes.some((cause) => cause.reason === 'FieldManagerConflict')) return 'FIELD_CONFLICT';
  if (REPEATED_ITEM.test(message)) return 'DUPLICATE';
  if (
    causes.some((cause) => cause.reason === 'NamespaceTerminating') ||
    /being terminated|definition is terminating/.test(message)
  )
    return 'TERMINATING';
  if (/failed calling webhook/.test(message)) return 'WEBHOOK_FAILED';
  if (/denied (the )?request/.test(message)) return 'DENIED';
  if (/exceeded quota/.test(message)) return 'QUOTA_EXCEEDED';
  // The uid precondition of the write failed.
  if (causes.some((cause) => cause.field === 'metadata.uid')) return 'CONFLICT';
  if (/is immutable|may not (be )?change|cannot (be )?change|are forbidden/.test(message) && error.kind === 'invalid') {
    return 'IMMUTABLE';
  }
  if (error.kind === 'notFound' && error.about.kind === 'namespaces') return 'NAMESPACE_NOT_FOUND';
  return error.kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** `.spec.ports: duplicate entries for key [port=80,protocol="TCP"]`, one per line. */
const REPEATED_ITEM = /(\.[A-Za-z][^\n]{0,1000}): duplicate entries for key (\[[^\n]{0,500})/;

function describeRepeatedItems(message: string, object: KubernetesObject): string {
  const found = message.split('\n').flatMap((line) => {
    const [, list = '', key = ''] = REPEATED_ITEM.exec(line) ?? [];
    return list ? [`${list.slice(1)} has two items with the key ${key}`] : [];
  });
  return redactSecretValues(sanitizeClusterText(found.join('; ')), object);
}

/** The fields in the message of a server-side apply error: `… (ns/name; v1, Kind=ConfigMap): .data.a: expected string`, one per line. */
function parseField(message: string): string | undefined {
  const fields = [...message.matchAll(/\s(\.[A-Za-z][^\s:]*): /g)].map((match) => match[1]);
  return fields.length > 0 ? fields.join(', ') : undefined;
}
