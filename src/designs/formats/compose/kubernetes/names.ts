import { createHash } from 'node:crypto';
import { trimText, trimTextEnd } from '../../../../core/trim-text.js';

const MAX_LABEL_LENGTH = 63;

/** A name of a Compose file as a DNS label (RFC 1123) of at most 63 characters, shortened with a hash when longer; empty when no valid character is left. */
export function toDnsLabel(name: string, longest = MAX_LABEL_LENGTH): string {
  const label = trimText(name.toLowerCase().replace(/[^a-z0-9-]+/g, '-'), /-/);
  if (label.length <= longest) return label;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${trimTextEnd(label.slice(0, longest - 9), /-/)}-${digest}`;
}

/** As `toDnsLabel`, and starting with a letter, as required for the names of Services (RFC 1035). */
export function toServiceName(name: string): string {
  const label = toDnsLabel(name);
  return /^[a-z]/.test(label) ? label : toDnsLabel(`svc-${label}`);
}

/** Whether text may be the value of a label. */
export function isLabelValue(text: string): boolean {
  return text.length <= MAX_LABEL_LENGTH && /^([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/.test(text);
}

/** Whether text may be the key of a label or an annotation: `name` or `prefix.example.com/name`. */
export function isLabelKey(text: string): boolean {
  const [name = '', prefix, ...more] = text.split('/').reverse();
  const named = name !== '' && isLabelValue(name);
  return named && more.length === 0 && (prefix === undefined || isDnsName(prefix));
}

/** Whether text is a DNS name in lower case (RFC 1123). */
export function isDnsName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(text);
}

export function isDnsLabel(text: string): boolean {
  return text.length <= MAX_LABEL_LENGTH && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text);
}

/** A file name as a key of a ConfigMap or Secret. */
export function toDataKey(name: string): string {
  const key = name.replace(/[^-._a-zA-Z0-9]/g, '_').slice(0, 253);
  return key === '.' || key === '' || key.startsWith('..') ? `_${key}` : key;
}
