/**
 * The one text of a value (RFC 8785): members sorted by their names, no spaces, numbers and strings as JavaScript writes them.
 * Members without a value are left out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`;
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) text += `${text && ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}
