import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../src/core/json/json.js';

/** From the root of the repository, where npm runs tests and benchmarks; a compiled benchmark stands elsewhere. */
const FILE = join('test', 'support', 'proven-cases.txt');

/** A value of a field, and what a real API server said of it. */
export interface ProvenCase {
  /** As it stands in the file. */
  line: string;
  schema: JsonObject;
  value: Json;
  isTaken: boolean;
}

/** The cases of proven-cases.txt. */
export function provenCases(): ProvenCase[] {
  const named = new Map<string, JsonObject>();
  const cases: ProvenCase[] = [];
  for (const line of readFileSync(FILE, 'utf8').split('\n')) {
    const [verdict = '', schema = '', value] = line.split('\t');
    if (verdict.startsWith('@')) named.set(verdict, JSON.parse(schema) as JsonObject);
    if (value === undefined) continue;
    const [, name = '', rule = schema] = /^(@\w+) (.*)$/.exec(schema) ?? [];
    const written = JSON.parse(rule) as JsonObject;
    const whole = named.has(name) ? { ...named.get(name), 'x-kubernetes-validations': [written] } : written;
    cases.push({ line, schema: whole, value: JSON.parse(value) as Json, isTaken: verdict === 'takes' });
  }
  return cases;
}

/** One definition that has a field for the schema of each case, and a resource of it for each case. */
export function provenDefinition(
  cases: ProvenCase[],
  group: string,
): { definition: JsonObject; schema: JsonObject; resources: JsonObject[] } {
  const fields = new Map<string, string>();
  const properties: JsonObject = {};
  const resources = cases.map(({ schema, value }) => {
    const key = JSON.stringify(schema);
    const field = fields.get(key) ?? `f${fields.size}`;
    fields.set(key, field);
    properties[field] = schema;
    return { apiVersion: `${group}/v1`, kind: 'Proof', metadata: { name: 'proof' }, spec: { [field]: value } };
  });
  const schema: JsonObject = { type: 'object', properties: { spec: { type: 'object', properties } } };
  const definition: JsonObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `proofs.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'proofs', singular: 'proof', kind: 'Proof', listKind: 'ProofList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  return { definition, schema, resources };
}
