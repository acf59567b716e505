import { largeIntegerDigits } from '../../core/json/large-integers.js';
import { MASKED, isSecret } from '../../formats/design-file/secret-values.js';
import { sanitizeClusterText, TRUNCATION_MARK } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

/** Words and numbers that messages have of their own. They are values only where a message shows a value. */
export const ORDINARY = /^(?:[A-Za-z]{1,15}|\d{1,5})$/;
/** The text before a value that a message shows. */
const BEFORE_VALUE = /(?:["'`=:]|(?:Invalid|Unsupported|Duplicate) value: )$/;

const LONGEST_BEFORE = 'Unsupported value: '.length;

/** Removes the secret values of an object from a message of the cluster. Parts of longer words are not values. */
export function redactSecretValues(message: string, object: KubernetesObject): string {
  const secrets = [...findSecretValues(object.kind, [], object)].filter((value) => value.length >= 3);
  if (secrets.length > 0 && message.endsWith(TRUNCATION_MARK))
    return 'The message of the cluster is hidden because it may contain secret values';
  // The message may contain a value with parts of it redacted already, or escaped as in a string literal.
  const safe = secrets
    .flatMap((value) => [value, quote(value), sanitizeClusterText(value, value.length)])
    .filter((value) => value.length >= 3)
    .sort((a, b) => b.length - a.length)
    .reduce(hideValue, message);
  return object.kind === 'Secret' ? safe.replace(/(Invalid value: |\bValue:)[^]*/, `$1${MASKED}`) : safe;
}

/** The value as Go and JSON quote it, without the quotation marks. */
const quote = (value: string): string => JSON.stringify(value).slice(1, -1);

/** Hides the value where it stands as a whole; a part of a longer word is another word. */
function hideValue(message: string, value: string): string {
  const isOrdinary = ORDINARY.test(value);
  let shown = '';
  let end = 0;
  for (let at = message.indexOf(value); at >= 0; at = message.indexOf(value, at + 1)) {
    if (at < end) continue;
    const after = at + value.length;
    const isWhole =
      !(isWordCharacter(message[at - 1]) && isWordCharacter(value[0])) &&
      !(isWordCharacter(message[after]) && isWordCharacter(value.at(-1)));
    if (!isWhole || (isOrdinary && !BEFORE_VALUE.test(message.slice(Math.max(0, at - LONGEST_BEFORE), at)))) continue;
    shown += message.slice(end, at) + MASKED;
    end = after;
  }
  return shown + message.slice(end);
}

const isWordCharacter = (character = ''): boolean => /^\w$/.test(character);

export function* findSecretValues(kind: string, path: string[], value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) yield* findSecretValues(kind, [...path, name], one);
  } else if (isSecret(kind, path, value) && (typeof value === 'string' || typeof value === 'number')) {
    const text = largeIntegerDigits(value) ?? String(value);
    yield text;
    if (kind === 'Secret') yield* [Buffer.from(text, 'base64').toString('utf8'), Buffer.from(text).toString('base64')];
  }
}
