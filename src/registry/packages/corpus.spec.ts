import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { requires } from '../../../test/support/requirements.js';
import { AppError } from '../../core/errors/app-error.js';
import { definitionDigest } from '../../formats/definitions/definition-digest.js';
import { type ModelContent } from '../../formats/definitions/definitions.js';
import { type PackageContent } from './package-content.js';
import { readPackage } from './package-reader.js';
import { writePackage } from './package-writer.js';

const written = (models: ModelContent[]) => buffer(writePackage(models));

/** Models as described by a package with a file for each. */
const declared = (models: ModelContent[]) => models.map(({ embedded: _embedded, ...content }) => content);

async function mustComeBack({ models }: PackageContent): Promise<void> {
  const bytes = await written(models);
  const again = await readPackage({ path: 'again.tar.gz', bytes });
  expect(again).toEqual({ models: declared(models), connections: [], faults: [], failed: 0 });
  expect(Buffer.compare(await written(again.models), bytes)).toBe(0);
}

requires('CORPUS_DIR', 'the packages of the corpus', (root) => {
  async function filesBelow(folder: string): Promise<string[]> {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  }

  async function attempt(path: string): Promise<PackageContent | AppError> {
    return readPackage({ path: relative(root, path), bytes: await readFile(path) }).catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    });
  }

  async function read(folder: string): Promise<PackageContent[]> {
    const contents: PackageContent[] = [];
    for (const path of await filesBelow(folder)) {
      const content = await attempt(path);
      if (content instanceof AppError) throw content;
      contents.push(content);
    }
    return contents;
  }

  it('reads every package whole, and gives each back with the same content', async () => {
    const contents = await read('meshery/packages');
    expect(contents.flatMap(({ faults }) => faults)).toEqual([]);
    const models = contents.flatMap((content) => content.models);
    expect(models).toHaveLength(30);
    expect(models.flatMap(({ components }) => components)).toHaveLength(287);
    expect(models.flatMap(({ relationships }) => relationships)).toHaveLength(5);
    expect(contents.flatMap(({ connections }) => connections.map(({ kind }) => kind))).toEqual(['grafana', 'kubernetes', 'prometheus']); // prettier-ignore
    for (const content of contents) await mustComeBack(content);
  }, 120_000);

  it('reads every definition alone, in every version, and gives it back with the same content', async () => {
    for (const folder of ['meshery/models', 'meshery/relationships']) {
      for (const content of await read(folder)) {
        expect(content.faults).toEqual([]);
        expect(content.models.length + content.connections.length).toBe(1);
        if (content.models.length > 0) await mustComeBack(content);
      }
    }
  }, 120_000);

  it('finds the same in the folder of a model as in its package', async () => {
    const packages = await read('meshery/packages');
    const digests = (contents: PackageContent[]) =>
      contents.flatMap(({ models }) => models.flatMap(({ components }) => components.map(definitionDigest))).sort();
    expect(digests(await read('meshery/models'))).toEqual(digests(packages));
  }, 60_000);

  it('takes single components, and says which have no version of their model', async () => {
    const contents = await read('meshery/components');
    const faults = contents.flatMap((content) => content.faults);
    expect(new Set(faults.map(({ detail }) => detail))).toEqual(
      new Set(['names no version of its model, and no model file near it does']),
    );
    expect(faults.every(({ path, line }) => path.includes('/crossplane-types/') && line === 8)).toBe(true);
    expect(faults).toHaveLength(9);
    expect(contents.filter(({ models }) => models.length === 1)).toHaveLength(1);
  });

  it('takes templates of models, and says of those of components what has to be filled in', async () => {
    for (const path of await filesBelow('meshery/templates')) {
      const content = await attempt(path);
      const name = relative(root, path);
      if (name.includes('/model_template')) {
        expect(content).toMatchObject({ faults: [], models: [{ model: { name: 'untitled-model', registrant: { kind: 'artifacthub' } } }] }); // prettier-ignore
      } else if (name.includes('/component_template')) {
        const faults = [
          { detail: 'kind is missing', path: name },
          { detail: 'version is missing', path: name },
        ];
        expect(content).toMatchObject({ models: [], faults, failed: 1 });
      } else
        expect(`${name}: ${content instanceof AppError ? content.message : 'taken'}`).toContain('holds no definition');
    }
  });

  it('does with hostile input what a sound service does', async () => {
    const all = JSON.parse(await readFile(join(root, 'hostile/files/cases.json'), 'utf8')) as {
      file: string;
      kind: string;
      expect: string;
    }[];
    const packages = all.filter(({ kind }) => kind === 'model-package');
    expect(packages.length).toBeGreaterThan(25);
    for (const { file, kind, expect: outcome } of all) {
      const result = await attempt(join(root, 'hostile/files', file));
      if (kind !== 'model-package') {
        expect(`${file}: ${result instanceof AppError ? result.status : 'taken'}`).toBe(`${file}: 400`);
        continue;
      }
      const fault = result instanceof AppError ? result.errors[0] : result.faults[0];
      if (outcome === 'reject')
        expect({ file, fault: fault?.detail }).toEqual({ file, fault: expect.any(String) as string }); // prettier-ignore
      else if (!(result instanceof AppError)) await mustComeBack(result);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  }, 60_000);
});
