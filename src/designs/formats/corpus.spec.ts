import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countOf, isLongRun } from '../../../test/support/long-run.js';
import { requires } from '../../../test/support/requirements.js';
import { AppError } from '../../core/errors/app-error.js';
import { unpackArchive } from '../../formats/archives/archive.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { type Attempt, importDesigns, importManifests, refusal, Score } from './corpus.fixture.js';
import { importDesign } from './import-design.js';

requires('CORPUS_DIR', 'the manifests and designs of the corpus', (root) => {
  const pool = new WorkerPool();
  const reader = new DocumentReader(pool);
  afterAll(() => pool.close());

  const attempt: Attempt = (file) => importDesign(file, reader).catch(refusal);

  it('imports manifests, and gives them back equal in meaning', async () => {
    const { counts, wrong, trips } = await Score.of(importManifests(root, attempt));
    expect(wrong).toEqual([]);
    if (isLongRun) expect(counts.refused).toBe(6);
    expect(trips).toEqual({ equal: counts.imported, different: [] });
  }, 120_000);

  it('imports designs, and gives them back with nothing lost', async () => {
    const { counts, wrong, trips } = await Score.of(importDesigns(root, attempt));
    expect(wrong).toEqual([]);
    expect(counts.imported).toBeGreaterThan(countOf(100));
    expect(trips).toEqual({ equal: counts.imported, different: [] });
  }, 120_000);

  it('does with hostile YAML and JSON what a sound service does', async () => {
    for (const { file, kind, expect: outcome } of await hostile()) {
      if (kind !== 'yaml' && kind !== 'json') continue;
      const result = await attempt({ path: file, bytes: await readFile(join(root, 'hostile/files', file)) });
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
      const taken = await unpackArchive({ path: file, bytes: await readFile(path) }).then(
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
