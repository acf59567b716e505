const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;

const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const LABEL_1035_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const QUALIFIED_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const CONFIG_KEY_RULE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

/** Returns the error in a name; undefined for a valid one. */
export type NameRule = (name: string) => string | undefined;

/** RFC 1123 label. */
export const dnsLabel: NameRule = (name) => checkLength(name, 63) ?? (LABEL.test(name) ? undefined : LABEL_RULE);

/** RFC 1123 subdomain. */
export const dnsSubdomain: NameRule = (name) =>
  checkLength(name, 253) ?? (isSubdomain(name) ? undefined : SUBDOMAIN_RULE);

/** RFC 1035 label, required for names of older kinds. */
export const dns1035Label: NameRule = (name) =>
  checkLength(name, 63) ?? (LABEL_1035.test(name) ? undefined : LABEL_1035_RULE);

/** A valid path segment of the Kubernetes API. */
export const pathSegment: NameRule = (name) => {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const bad = ['/', '%'].find((character) => name.includes(character));
  return bad && `may not contain '${bad}'`;
};

/** A qualified name (`[prefix/]name`), as keys of labels and annotations are. */
export const qualifiedName: NameRule = (name) => {
  const parts = name.split('/');
  if (parts.length > 2) return `${QUALIFIED_RULE} with an optional DNS subdomain prefix and '/'`;
  const own = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix === '') return 'prefix part must be non-empty';
  const ofPrefix = prefix === undefined ? undefined : dnsSubdomain(prefix);
  if (ofPrefix) return `prefix part ${ofPrefix}`;
  if (own === '') return 'name part must be non-empty';
  if (own.length > 63) return 'name part must be no more than 63 bytes';
  return QUALIFIED.test(own) ? undefined : QUALIFIED_RULE;
};

export const labelValue: NameRule = (value) =>
  checkLength(value, 63) ?? (value === '' || QUALIFIED.test(value) ? undefined : LABEL_VALUE_RULE);

/** Keys of ConfigMaps and Secrets. */
export const configKey: NameRule = (key) => {
  if (key === '.' || key === '..') return `must not be '${key}'`;
  if (key.startsWith('..')) return "must not start with '..'";
  return checkLength(key, 253) ?? (CONFIG_KEY.test(key) ? undefined : CONFIG_KEY_RULE);
};

/** Names of ports: an IANA service name. */
export const portName: NameRule = (name) => {
  if (name.length > 15) return 'must be no more than 15 characters';
  if (!/^[-a-z0-9]+$/.test(name)) return 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)';
  if (!/[a-z]/.test(name)) return 'must contain at least one letter (a-z)';
  if (name.includes('--')) return 'must not contain consecutive hyphens';
  return /^-|-$/.test(name) ? 'must not begin or end with a hyphen' : undefined;
};

/** The rule for a prefix, such as `generateName`, that a suffix is added to. */
export function prefixRule(rule: NameRule): NameRule {
  return (name) => rule(name.endsWith('-') ? `${name.slice(0, -1)}a` : name);
}

function isSubdomain(name: string): boolean {
  return name.split('.').every((label) => LABEL.test(label));
}

/** Checks the length in bytes, as Kubernetes does. */
function checkLength(name: string, most: number): string | undefined {
  return Buffer.byteLength(name) > most ? `must be no more than ${most} bytes` : undefined;
}
