/**
 * Serializes a value to canonical JSON (RFC 8785): members sorted by name, no whitespace, numbers and strings as by `JSON.stringify`.
 * Undefined members are omitted.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`;
  const members = value as Record<string, unknown>;
  const names = Object.keys(members);
  if (isCanonical(names, members)) return JSON.stringify(value);
  let text = '';
  for (const name of names.sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text && ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Reports whether `JSON.stringify` already gives the canonical text, which is several times as fast. */
const isCanonical = (names: string[], members: Record<string, unknown>): boolean =>
  names.every((name, at) => isScalar(members[name]) && (at === 0 || (names[at - 1] as string) < name));

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
