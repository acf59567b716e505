import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { requires } from '../../../test/support/requirements.js';
import { AppError } from '../../core/errors/app-error.js';
import { unpack } from '../../formats/archive.js';
import { servicesOf } from '../../formats/design-services.js';
import { DocumentReader } from '../../formats/document-reader.js';
import { readDocuments } from '../../formats/documents.js';
import { isObject, type Json, type JsonObject } from '../../formats/located.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { toYaml } from '../../formats/yaml-writer.js';
import { importDesign } from './detect.js';
import { type ImportedDesign } from './format.js';
import { manifestOf } from './kubernetes.js';

async function filesBelow(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** What a manifest holds, without the reader of the format under test taking part in it. */
function resourcesIn(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  return value['kind'] === 'List' && Array.isArray(value['items']) ? value['items'].flatMap(resourcesIn) : [value];
}

/** Manifests that nothing can apply, with the reason; whatever else is refused is a fault of ours. */
const REFUSED = [
  ['istio__istio/bookinfo/demo-profile-no-gateways.yaml', 'metadata'],
  ['istio__istio/open-telemetry/loki/iop.yaml', 'metadata'],
  ['tas/kind-cluster.yaml', 'metadata'],
  ['multikueue/dev/manager-kind-config.yaml', 'metadata'],
  ['scheduler-policy/scheduler-policy-config.json', 'metadata'],
  ['scheduler-policy/scheduler-policy-config-with-extender.json', 'metadata'],
] as const;

requires('CORPUS_DIR', 'the manifests and designs of the corpus', (root) => {
  const pool = new WorkerPool();
  const reader = new DocumentReader(pool);
  afterAll(() => pool.close());

  const attempt = async (path: string): Promise<ImportedDesign | AppError> => {
    const file = { path: relative(root, path), bytes: await readFile(path) };
    return importDesign(file, reader).catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    });
  };

  it('imports every manifest of the corpus, and gives it back equal in meaning', async () => {
    const refused: string[] = [];
    // Kustomizations have a test of their own.
    for (const path of await filesBelow(join(root, 'kubernetes'), /(?<!kustomization)\.(?:ya?ml|json)$/)) {
      const result = await attempt(path);
      if (result instanceof AppError) {
        refused.push(`${relative(root, path)}: ${result.message}`);
        continue;
      }
      const documents = readDocuments({ path, bytes: await readFile(path) });
      const { resources, left } = manifestOf(result.design);
      const written = toYaml(resources);
      const again = readDocuments({ path, bytes: new TextEncoder().encode(written) });
      expect(result.sourceType).toBe('kubernetes');
      expect(left).toEqual([]);
      expect(again.map(({ value }) => value)).toEqual(documents.flatMap(({ value }) => resourcesIn(value)));
    }
    const surprising = refused.filter(
      (line) => !REFUSED.some(([path, why]) => line.includes(path) && line.includes(why)),
    );
    expect(surprising).toEqual([]);
    expect(refused).toHaveLength(6);
  }, 120_000);

  it('imports every design of the corpus, and gives it back with nothing lost', async () => {
    const paths = await filesBelow(join(root, 'meshery/designs'), /^design\.yml$/);
    expect(paths.length).toBeGreaterThan(100);
    for (const path of paths) {
      const result = await attempt(path);
      if (result instanceof AppError) throw result;
      const [document] = readDocuments({ path, bytes: await readFile(path) });
      const source = document?.object ?? {};
      expect(result.sourceType).toBe('design');
      const { services, ...rest } = source;
      expect(result.design).toMatchObject(rest);
      if (isObject(services))
        expect(Object.keys(servicesOf(result.design.components)).sort()).toEqual(Object.keys(services).sort());
      const ids = result.design.components.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const text of [toYaml([result.design]), JSON.stringify(result.design)]) {
        const again = await importDesign({ path: 'again.yml', bytes: new TextEncoder().encode(text) }, reader);
        expect(again.design).toEqual(result.design);
      }
    }
  }, 120_000);

  it('does with hostile YAML and JSON what a sound service does', async () => {
    for (const { file, kind, expect: outcome } of await hostile()) {
      if (kind !== 'yaml' && kind !== 'json') continue;
      const result = await attempt(join(root, 'hostile/files', file));
      if (outcome === 'either') continue;
      expect(`${file}: ${result instanceof AppError ? 'reject' : 'accept'}`).toBe(`${file}: ${outcome}`);
      if (result instanceof AppError)
        expect(result).toMatchObject({ status: 400, errors: expect.any(Array) as unknown });
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  }, 60_000);

  it('does with hostile archives what a sound service does', async () => {
    const archives = (await hostile()).filter(({ file, why }) => /^(?:tar|gzip|zip|text|plain|empty)\b.*\.(?:gz|zip)$/.test(file) && !why.includes('component')); // prettier-ignore
    expect(archives.length).toBeGreaterThan(12);
    for (const { file, expect: outcome } of archives) {
      const path = join(root, 'hostile/files', file);
      const taken = await unpack({ path: file, bytes: await readFile(path) }).then(
        () => 'accept',
        (error: unknown) => (error instanceof AppError ? 'reject' : error),
      );
      if (outcome !== 'either') expect(`${file}: ${String(taken)}`).toBe(`${file}: ${outcome}`);
    }
  }, 60_000);

  interface Case {
    file: string;
    kind: string;
    expect: 'accept' | 'reject' | 'either';
    why: string;
    large: boolean;
  }
  async function hostile(): Promise<Case[]> {
    const all = JSON.parse(await readFile(join(root, 'hostile/files/cases.json'), 'utf8')) as Case[];
    return all.filter(({ large }) => !large);
  }
});
