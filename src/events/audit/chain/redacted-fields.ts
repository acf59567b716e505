import { isSecretMember } from '../../../core/json/secret-members.js';
import { REDACTED } from '../../../core/json/url-secrets.js';

/** A URL up to its query: the scheme, the authority, the path. */
const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)/i;

/**
 * Redacts the secrets of a JSON value, such as the metadata of a connection: members by their names, and URLs by removing user info and
 * query. The triggers redact columns.
 */
export function redactMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactMembers);
  if (typeof value === 'string') return withoutCredentials(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretMember(name, member) ? REDACTED : redactMembers(member),
    ]),
  );
}

/** A URL without its user info, query and fragment; other text unchanged. */
function withoutCredentials(text: string): string {
  const [, scheme, authority = '', path = ''] = ADDRESS.exec(text) ?? [];
  return scheme === undefined ? text : scheme + authority.slice(authority.lastIndexOf('@') + 1) + path;
}
