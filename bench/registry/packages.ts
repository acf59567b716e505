import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseAllDocuments } from 'yaml';
import { tarOf } from '../../src/formats/archives/tar.fixture.js';

/** The size of the field's largest public registry. */
export const PACKAGES = 900;
export const COMPONENTS = 100;
const DISTINCT = 6_000;
const SMALLEST_MEAN = 8_192;

interface Definition {
  kind: string;
  apiVersion: string;
  schema: string;
}

/** Every served version of the definitions of a folder with its schema; small schemas are left out until the mean is large enough. */
export function readSchemas(folder: string): Definition[] {
  const all = yamlFiles(folder).flatMap((path) => {
    try {
      return parseAllDocuments(readFileSync(path, 'utf8')).flatMap((document) => definitionsOf(document.toJS()));
    } catch {
      return [];
    }
  });
  const bySize = all.sort((a, b) => a.schema.length - b.schema.length);
  const mean = () => bySize.reduce((sum, { schema }) => sum + schema.length, 0) / bySize.length;
  while (mean() < SMALLEST_MEAN) bySize.shift();
  // The largest would make the mean many times what is asked for.
  while (bySize.length > 100 && mean() > SMALLEST_MEAN * 1.3) bySize.pop();
  return bySize;
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .map((path) => join(folder, path));
}

interface Crd {
  kind?: string;
  spec?: {
    group: string;
    names: { kind: string };
    versions?: { name: string; schema?: { openAPIV3Schema?: object } }[];
  };
}

function definitionsOf(value: unknown): Definition[] {
  const { kind, spec } = (value ?? {}) as Crd;
  if (kind !== 'CustomResourceDefinition' || !spec?.versions) return [];
  return spec.versions.flatMap(({ name, schema }) =>
    schema?.openAPIV3Schema
      ? [{ kind: spec.names.kind, apiVersion: `${spec.group}/${name}`, schema: JSON.stringify(schema.openAPIV3Schema) }]
      : [],
  );
}

export interface Made {
  packages: Buffer[];
  schemaBytes: number;
  distinctSchemas: number;
}

/** So many packages of so many components each; the title makes schemas of one definition distinct. */
export async function makePackages(schemas: Definition[]): Promise<Made> {
  const packages: Buffer[] = [];
  const distinct = new Set<string>();
  let schemaBytes = 0;
  for (let number = 0; number < PACKAGES; number++) {
    const name = `bench-model-${number}`;
    const model = { name, registrant: { kind: 'github' }, model: { version: '1.0.0' } };
    const files: Record<string, string> = {
      'model.json': JSON.stringify({
        schemaVersion: 'models.meshery.io/v1beta1',
        ...model,
        displayName: `Bench model ${number}`,
        category: { name: 'Database' },
      }),
    };
    for (let index = 0; index < COMPONENTS; index++) {
      const place = (number * COMPONENTS + index) % DISTINCT;
      const base = schemas[place % schemas.length] as Definition;
      const schema = `{"title":"variant ${place}",${base.schema.slice(1)}`;
      distinct.add(schema.slice(0, 40));
      schemaBytes += schema.length;
      files[`components/${index}.json`] = JSON.stringify({
        schemaVersion: 'components.meshery.io/v1beta1',
        displayName: `${base.kind} ${number}`,
        model,
        component: { kind: `${base.kind}${index}`, version: base.apiVersion, schema },
        metadata: { isNamespaced: true },
      });
    }
    packages.push(gzipSync(await tarOf(files), { level: 1 }));
  }
  return { packages, schemaBytes, distinctSchemas: distinct.size };
}
