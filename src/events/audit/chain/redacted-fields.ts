/** Names of fields that contain secrets, by the rule that the triggers apply to columns; names that only describe a secret do not match. */
const SECRET_NAME = /passw(or)?d|passphrase|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|authorization/i;
const ABOUT_A_SECRET = /(_at|_by|_ids?|names?)$/i;
/** The account and the query of an address, which may hold secrets. */
const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^?#]*)[?#]?.*$/is;
const REDACTED = '[redacted]';

/**
 * What a field shows in the audit. Columns that hold secrets are redacted by the triggers; members of free objects, such as the
 * metadata of a connection, are redacted by their names, and addresses in them are shown without account and query.
 */
export function redactMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactMembers);
  if (typeof value === 'string') return ADDRESS.test(value) ? value.replace(ADDRESS, '$1$2') : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSecret(name, member) ? REDACTED : redactMembers(member)]),
  );
}

const isSecret = (name: string, member: unknown): boolean =>
  member !== null && typeof member !== 'boolean' && SECRET_NAME.test(name) && !ABOUT_A_SECRET.test(name);
