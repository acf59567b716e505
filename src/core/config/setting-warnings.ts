import { type Env, envVariables } from './env.js';
import { SECRET_VARIABLES } from './secret-files.js';

type Source = Record<string, string | undefined>;
type Name = keyof typeof envVariables;

/** Settings that have no effect while another one is off or not set. */
const NEEDS: readonly (readonly [names: readonly Name[], needs: Name, isMet: (env: Env) => boolean])[] = [
  [['OIDC_AUDIENCE', 'OIDC_TRUST_EMAIL'], 'OIDC_ISSUER', (env) => Boolean(env.OIDC_ISSUER)],
  [['MAIL_FROM'], 'SMTP_URL', (env) => Boolean(env.SMTP_URL)],
  [
    ['LIMIT_REQUESTS_PER_MINUTE', 'LIMIT_WRITES_PER_MINUTE', 'LIMIT_SIGN_IN_FAILURES'],
    'RATE_LIMIT',
    (env) => env.RATE_LIMIT,
  ],
  [['LIMIT_CLUSTER_RESOURCES'], 'CLUSTER_WATCH', (env) => env.CLUSTER_WATCH],
];

/** The first setting has no effect when it is larger than the second. */
const BOUNDED_BY: readonly (readonly [Name, Name])[] = [
  ['LIMIT_WRITES_PER_MINUTE', 'LIMIT_REQUESTS_PER_MINUTE'],
  ['LIMIT_PUBLIC_BODY_BYTES', 'LIMIT_BODY_BYTES'],
  ['LIMIT_PERFORMANCE_ORGANIZATION_RUNS', 'LIMIT_PERFORMANCE_RUNS'],
];

/** Describes settings that are valid but probably mistakes. Values are never shown. */
export function findSettingWarnings(given: Source, env: Env): string[] {
  const isGiven = (name: string): boolean => Boolean(given[name]);
  const idle = NEEDS.flatMap(([names, needs, isMet]) =>
    isMet(env) ? [] : names.filter(isGiven).map((name) => `${name} has no effect, since ${needs} is off or not set.`),
  );
  const above = BOUNDED_BY.filter(([name, bound]) => isGiven(name) && Number(env[name]) > Number(env[bound]));
  return [
    ...Object.keys(given).flatMap((name) => describeUnknown(name) ?? []),
    ...idle,
    ...above.map(([name, bound]) => `${name} is larger than ${bound}, so ${bound} applies first.`),
  ];
}

const withoutSeparators = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, '');

const KNOWN = new Set([...Object.keys(envVariables), ...SECRET_VARIABLES.map((name) => `${name}_FILE`)]);
const KNOWN_LETTERS = [...KNOWN].map((name) => [name, withoutSeparators(name)] as const);

/** Explains an unknown variable that is probably a misspelt setting; undefined for unrelated variables. */
function describeUnknown(name: string): string | undefined {
  if (KNOWN.has(name)) return undefined;
  if (name.endsWith('_FILE') && KNOWN.has(name.slice(0, -'_FILE'.length)))
    return `${name} is not read: only secrets can come from a file. Set ${name.slice(0, -'_FILE'.length)}.`;
  const letters = withoutSeparators(name);
  const near = KNOWN_LETTERS.find(([, known]) => isTypo(letters, known))?.[0];
  if (near) return `${name} is not a known setting; did you mean ${near}?`;
  return name.startsWith('LIMIT_') ? `${name} is not a known setting; .env.example lists all settings.` : undefined;
}

/** Reports whether two texts differ by one missing, added or wrong character, or by two swapped ones. */
function isTypo(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [rest, otherRest] = [one.slice(start), other.slice(start)];
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    (rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2))
  );
}
