import { redactSecrets } from '../../core/outbound/redact-secrets.js';
import { INLINE_MAX_BYTES } from '../../core/json/json-chunks.js';
import type { ClusterUser } from './cluster-access.js';
import { sanitizeClusterText } from './sanitize-cluster-text.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** Of one answer. */
const MAX_WARNINGS = 20;
const MAX_WARNING_LENGTH = 1_000;

/** Whom it acts as is no secret, and is what a refusal is about. */
const toSecret = (user: ClusterUser): object => ({ ...user, impersonate: undefined });

/** What a failed request was answered with, without the credential; undefined when it is none that an API server sends. */
export function parseStatus(bytes: Bytes, user: ClusterUser): unknown {
  if (bytes.length > INLINE_MAX_BYTES) return undefined;
  try {
    return JSON.parse(redactSecrets(Buffer.from(bytes.buffer).toString('utf8'), toSecret(user)));
  } catch {
    return undefined;
  }
}

/** The texts of `Warning` headers, each `299 - "text"` with quotes and backslashes escaped (RFC 7234 section 5.5), without the credential. */
export function parseWarnings(header: string | string[] | undefined, user: ClusterUser): string[] {
  const joined = [header ?? []].flat().join(', ');
  const quoted = [...joined.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].slice(0, MAX_WARNINGS);
  const texts = quoted.map((match) =>
    sanitizeClusterText((match[1] ?? '').replace(/\\(.)/g, '$1'), MAX_WARNING_LENGTH),
  );
  return texts.map((text) => redactSecrets(text, toSecret(user)));
}
