import { redactSecrets } from '../../core/outbound/redact-secrets.js';
import { INLINE_MAX_BYTES } from '../../core/json/json-chunks.js';
import type { ClusterUser } from './cluster-access.js';
import { sanitizeClusterText } from './sanitize-cluster-text.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** The maximum number of warnings per response. */
const MAX_WARNINGS = 20;
const MAX_WARNING_LENGTH = 1_000;

/** The impersonated user is not a secret, and appears in messages of denied requests. */
const toSecret = (user: ClusterUser): object => ({ ...user, impersonate: undefined });

/** Parses the response to a failed request and redacts the credential; undefined when it is too large or not JSON. */
export function parseStatus(bytes: Bytes, user: ClusterUser): unknown {
  if (bytes.length > INLINE_MAX_BYTES) return undefined;
  try {
    return JSON.parse(redactSecrets(Buffer.from(bytes.buffer).toString('utf8'), toSecret(user)));
  } catch {
    return undefined;
  }
}

/**
 * Parses `Warning` headers, each `299 - "text"` with escaped quotes and backslashes (RFC 7234 section 5.5), and
 * redacts the credential.
 */
export function parseWarnings(header: string | string[] | undefined, user: ClusterUser): string[] {
  const joined = [header ?? []].flat().join(', ');
  const quoted = [...joined.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].slice(0, MAX_WARNINGS);
  const texts = quoted.map((match) =>
    sanitizeClusterText((match[1] ?? '').replace(/\\(.)/g, '$1'), MAX_WARNING_LENGTH),
  );
  return texts.map((text) => redactSecrets(text, toSecret(user)));
}
