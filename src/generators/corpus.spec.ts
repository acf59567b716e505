import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { countOf, isLongRun, partOf } from '../../test/support/long-run.js';
import { requires } from '../../test/support/requirements.js';
import { AppError } from '../core/errors/app-error.js';
import { parseDocuments } from '../formats/documents/parse-documents.js';
import { DEFAULT_FORMAT_LIMITS } from '../formats/sources/format-limits.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../core/json/json.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { type GenerationResult, type SourceKind } from './generator.js';
import { generateModels } from './generate.js';
import { archive, componentsOf } from './generator-source.fixture.js';

async function filesBelow(folder: string, pattern = /./): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** References of a schema, at any depth, whose target it does not have. */
function dangling(schema: string): string[] {
  const { definitions = {} } = JSON.parse(schema) as { definitions?: JsonObject };
  const targets = [...schema.matchAll(/"\$ref":"#\/definitions\/([^"]*)"/g)].map(([, name = '']) => decodeURIComponent(name)); // prettier-ignore
  return targets.filter((name) => !Object.hasOwn(definitions, name));
}

requires('CORPUS_DIR', 'the corpus', (root) => {
  const pool = new WorkerPool();
  afterAll(() => pool.close());

  const attempt = async (path: string, bytes?: Uint8Array, kind?: SourceKind): Promise<GenerationResult | AppError> => {
    const file = { path: relative(root, path), bytes: bytes ?? (await readFile(path)) };
    const options = { pool, limits: DEFAULT_FORMAT_LIMITS, ...(kind === undefined ? {} : { kind }) };
    return generateModels(file, options).catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    });
  };
  const taken = (result: GenerationResult | AppError): GenerationResult => {
    if (result instanceof AppError) throw result;
    return result;
  };

  it('makes a component of every served version of every definition, with its schema as it stands', async () => {
    let definitions = 0;
    let components = 0;
    for (const path of partOf(await filesBelow(join(root, 'crds')))) {
      const generated = taken(await attempt(path));
      expect({ path, faults: generated.faults, warnings: generated.warnings }).toEqual({
        path,
        faults: [],
        warnings: [],
      });
      const found = new Map(componentsOf(generated).map((one) => [`${one.apiVersion} ${one.kind}`, one]));
      components += found.size;
      const file = { path, bytes: await readFile(path) };
      const documents = parseDocuments(file, 'kubernetes', { ...DEFAULT_FORMAT_LIMITS, roundNumbers: true });
      for (const { object } of documents) {
        if (object?.['kind'] !== 'CustomResourceDefinition') continue;
        definitions += 1;
        const { group, names, versions } = asObject(object['spec']);
        for (const version of versions as JsonObject[]) {
          const identity = `${asText(group)}/${asText(version['name'])} ${asText(asObject(names)['kind'])}`;
          const stated = asObject(asObject(version['schema'])['openAPIV3Schema']);
          const component = found.get(identity);
          const expected = version['served'] === true ? JSON.stringify({ title: component?.displayName, ...stated }) : undefined; // prettier-ignore
          expect({ path, identity, same: component?.schema === expected }).toEqual({ path, identity, same: true });
        }
      }
    }
    if (isLongRun) expect({ definitions, components }).toEqual({ definitions: 570, components: 658 });
    expect(components).toBeGreaterThanOrEqual(countOf(658));
  }, 180_000);

  it('makes components of every OpenAPI document that has schemas', async () => {
    const refused: string[] = [];
    let components = 0;
    for (const path of partOf(await filesBelow(join(root, 'openapi')))) {
      const result = await attempt(path, undefined, 'openapi');
      if (result instanceof AppError) {
        refused.push(...result.errors.map(({ detail }) => detail));
        continue;
      }
      expect(result.faults).toEqual([]);
      components += componentsOf(result).length;
      for (const { schema } of componentsOf(result)) expect(dangling(schema)).toEqual([]);
    }
    if (!isLongRun) return;
    expect(components).toBe(2480);
    expect(refused.filter((detail) => detail !== 'has no schemas below /components/schemas')).toEqual(Array(3).fill('is not a schema')); // prettier-ignore
    expect(refused).toHaveLength(21);
  }, 180_000);

  it('distinguishes resources of Kubernetes from everything else', async () => {
    const kinds = async (path: string) => componentsOf(taken(await attempt(join(root, 'openapi/kubernetes', path)))).map(({ kind }) => kind).sort(); // prettier-ignore
    expect(await kinds('v3/apis__apps__v1_openapi.json')).toEqual(['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet']); // prettier-ignore
    expect(await kinds('v3/apis__discovery.k8s.io__v1_openapi.json')).toEqual(['EndpointSlice']);
    expect(await kinds('v3/api__v1_openapi.json')).toHaveLength(17);
    expect(await kinds('aggregated/kubevirt-swagger.json')).toContain('VirtualMachineInstance');
    const all = await kinds('swagger-v2-release-35.0.json');
    expect(all).toHaveLength(90);
    expect(all.filter((kind) => /List$|Options$|^Status$|^Scale$|WatchEvent/.test(kind))).toEqual([]);
  }, 60_000);

  it('makes a model of every chart, packed or as a folder', async () => {
    const counts: Record<string, number> = {};
    for (const path of await filesBelow(join(root, 'helm/packed'))) {
      const generated = taken(await attempt(path));
      expect({ path, faults: generated.faults, models: generated.contents.length }).toEqual({ path, faults: [], models: 1 }); // prettier-ignore
      counts[relative(join(root, 'helm/packed'), path)] = componentsOf(generated).length;
    }
    expect(Object.keys(counts)).toHaveLength(31);
    expect(counts).toMatchObject({
      'traefik-41.3.0.tgz': 26,
      'antrea-0.0.0.tgz': 22,
      'upstream/nginx-ingress-helm.tgz': 8,
    });
    const folders = (await readdir(join(root, 'helm'))).filter((name) => name !== 'packed');
    expect(folders).toHaveLength(28);
    for (const name of partOf(folders)) {
      const files = await filesBelow(join(root, 'helm', name));
      const members = await Promise.all(files.map(async (path) => [relative(join(root, 'helm'), path), await readFile(path)] as const)); // prettier-ignore
      const generated = taken(await attempt(join(root, `${name}.tgz`), await archive(Object.fromEntries(members))));
      const packed = Object.entries(counts).find(([path]) => path.startsWith(`${name}-`) && /^-v?\d/.test(path.slice(name.length))); // prettier-ignore
      expect({ name, count: componentsOf(generated).length }).toEqual({ name, count: packed?.[1] });
    }
  }, 120_000);

  it('does with hostile sources what a sound service does', async () => {
    const outcomes: Record<string, string> = {};
    const cases = JSON.parse(await readFile(join(root, 'hostile/files/cases.json'), 'utf8')) as { file: string; kind: string; expect: string }[]; // prettier-ignore
    for (const { file, kind, expect: expected } of cases) {
      if (!['crd', 'openapi', 'helm'].includes(kind)) continue;
      const result = await attempt(join(root, 'hostile/files', file));
      outcomes[file] = result instanceof AppError ? 'reject' : 'accept';
      if (result instanceof AppError)
        expect(result).toMatchObject({ status: 400, remedy: expect.any(String) as unknown });
      else for (const { schema } of componentsOf(result)) expect(dangling(schema)).toEqual([]);
      if (expected !== 'either' && !RENDERED.includes(file)) expect({ file, outcome: outcomes[file] }).toEqual({ file, outcome: expected }); // prettier-ignore
    }
    expect(Object.keys(outcomes)).toHaveLength(27);
    expect(outcomes).toMatchObject({
      'crd-deep-schema.json': 'reject',
      'crd-proto-names.json': 'reject',
      'crd-self-reference.json': 'accept',
      'crd-old-version.json': 'accept',
      'openapi-doubling-refs.json': 'accept',
      'openapi-missing-ref.json': 'accept',
      'openapi-gvk-wrong.json': 'accept',
    });
    expect(Object.keys(Object.prototype)).toEqual([]);
  }, 60_000);

  it('never fails on anything else that it is given', async () => {
    for (const path of await filesBelow(join(root, 'hostile/files'))) {
      const result = await attempt(path);
      if (result instanceof AppError) expect(result.status).toBe(400);
    }
    for (const path of (await filesBelow(join(root, 'kubernetes'), /\.ya?ml$/)).slice(0, 100)) {
      const result = await attempt(path);
      if (result instanceof AppError) expect(result.status).toBe(400);
      else expect(componentsOf(result).every(({ schema }) => isObject(JSON.parse(schema) as Json))).toBe(true);
    }
  }, 120_000);
});

/** Charts that are hostile only when they are rendered, which this test does not do. */
const RENDERED = ['chart-include-itself.tgz', 'chart-endless-range.tgz', 'chart-nested-range.tgz', 'chart-repeat.tgz', 'chart-template-syntax.tgz', 'chart-renders-garbage.tgz']; // prettier-ignore
