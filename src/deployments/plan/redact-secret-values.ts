import { largeIntegerDigits } from '../../core/json/large-integers.js';
import { MASKED, isSecret } from '../../formats/design-file/secret-values.js';
import { sanitizeClusterText, TRUNCATION_MARK } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

/** Removes the secret values of an object from a message of the cluster. */
export function redactSecretValues(message: string, object: KubernetesObject): string {
  const secrets = [...findSecretValues(object.kind, [], object)].filter((value) => value.length >= 3);
  if (secrets.length > 0 && message.endsWith(TRUNCATION_MARK))
    return 'The message of the cluster is hidden because it may contain secret values';
  // The message may contain a value with parts of it redacted already.
  const safe = secrets
    .flatMap((value) => [value, quote(value), sanitizeClusterText(value, value.length)])
    .filter((value) => value.length >= 3)
    .sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, MASKED), message);
  return object.kind === 'Secret' ? safe.replace(/(Invalid value: |\bValue:)[^]*/, `$1${MASKED}`) : safe;
}

/** The value as Go and JSON quote it, without the quotation marks. */
const quote = (value: string): string => JSON.stringify(value).slice(1, -1);

function* findSecretValues(kind: string, path: string[], value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) yield* findSecretValues(kind, [...path, name], one);
  } else if (isSecret(kind, path, value) && (typeof value === 'string' || typeof value === 'number')) {
    const text = largeIntegerDigits(value) ?? String(value);
    yield text;
    if (kind === 'Secret') yield* [Buffer.from(text, 'base64').toString('utf8'), Buffer.from(text).toString('base64')];
  }
}
