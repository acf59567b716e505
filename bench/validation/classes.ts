import type { ValidationResult } from '../../src/validation/schema/findings.js';

/** Why two judges differ, by what the server says; the first that fits names the class. */
const CLASSES: [name: string, kind: RegExp, says: RegExp][] = [
  ['negative metadata.generation, which some kinds overwrite', /./, /metadata\.generation/],
  ['bounds of the scale subresource, which are not in the schema', /./, /^\S+ "[^"]*" is invalid: \.(spec|status)\./],
  [
    'rules inside definitions and policies, which are not compiled',
    /CustomResourceDefinition|AdmissionPolicy/,
    /compilation failed|x-kubernetes-validations|xpression/,
  ],
  ['defaults inside definitions, which are not judged', /CustomResourceDefinition/, /\.default: /],
  ['finer rules of what a structural schema is', /CustomResourceDefinition/, /./],
  ['details of storage drivers', /./, /volumes\[\d+\]\.|PersistentVolume |dataSource/],
  ['a rule of one kind that the table does not have', /./, /./],
];

/** Names of places that the server takes from its internal form of the type. */
const INTERNAL =
  /resources\[storage\]|template\.labels|spec\.validation|spec\.additionalPrinterColumns|spec\.subresources|JSONPath|clusterIPs/;

/** A name for why two judges differ about a verdict. */
export function classOf(kind: string, server: string, { errors, warnings }: ValidationResult): string {
  if (server === 'valid')
    return `error where the server has none: ${words(`${errors[0]?.keyword} ${errors[0]?.detail}`)}`;
  const unjudged = warnings.find(({ keyword }) => keyword === 'not-judged');
  if (unjudged) return `not judged: ${words(unjudged.detail)}`;
  const known = CLASSES.find(([, ofKind, says]) => ofKind.test(kind) && says.test(server));
  return `missed: ${known?.[0] ?? ''}`;
}

/** A name for why they agree that there is an error, but not where. */
export function placeClassOf(server: string): string {
  if (INTERNAL.test(server)) return 'other place: the server names its internal form';
  if (/clientConfig\.service\.name/.test(server)) return 'other place: the server takes name for namespace';
  return 'other place: another of several errors, or a value that depends on two';
}

/** A message without the values that it quotes. */
function words(message: string): string {
  return message
    .replace(/"(\\.|[^"\\])*"/g, '""')
    .replace(/\d+/g, '0')
    .slice(0, 140);
}
