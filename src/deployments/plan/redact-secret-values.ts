import { largeIntegerDigits } from '../../core/json/large-integers.js';
import { MASKED, isSecret } from '../../formats/design-file/secret-values.js';
import { HiddenValues } from './hidden-values.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

/** Removes the secret values of an object from a message of the cluster. */
export function redactSecretValues(message: string, object: KubernetesObject): string {
  const values = new HiddenValues();
  for (const value of findSecretValues(object.kind, [], object)) values.add(value);
  const safe = values.hideIn(message);
  return object.kind === 'Secret' ? safe.replace(/(Invalid value: |\bValue:)[^]*/, `$1${MASKED}`) : safe;
}

export function* findSecretValues(kind: string, path: string[], value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) yield* findSecretValues(kind, [...path, name], one);
  } else if (isSecret(kind, path, value) && (typeof value === 'string' || typeof value === 'number')) {
    const text = largeIntegerDigits(value) ?? String(value);
    yield text;
    if (kind !== 'Secret') return;
    const bytes = Buffer.from(text, path[0] === 'data' ? 'base64' : 'utf8');
    yield bytes.toString('utf8');
    yield bytes.toString('base64');
  }
}
