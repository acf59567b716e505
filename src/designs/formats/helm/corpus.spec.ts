import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, isLongRun } from '../../../../test/support/long-run.js';
import { requires } from '../../../../test/support/requirements.js';
import { AppError } from '../../../core/errors/app-error.js';
import { DocumentReader } from '../../../formats/documents/document-reader.js';
import { LocalRenderEngines } from '../../../formats/engines/local-render-engines.js';
import { WorkerPool } from '../../../core/workers/worker-pool.js';
import { type Attempt, refusal, Score } from '../corpus.fixture.js';
import { importDesign } from '../import-design.js';
import { comparedWithReference, importCharts } from './corpus.fixture.js';

interface Case {
  file: string;
  kind: string;
  expect: 'accept' | 'reject' | 'either';
}

requires('CORPUS_DIR', 'the charts of the corpus', (corpus) => {
  requires('HELM_BIN', 'with Helm', (helm) => {
    const pool = new WorkerPool();
    const reader = new DocumentReader(pool);
    const programs = new LocalRenderEngines({ helm });
    afterAll(() => pool.close());

    const attempt: Attempt = (file, options = {}) =>
      importDesign(file, reader, { programs, ...options }).catch(refusal);

    it('are imported, packed or as folders, or refused for the reason that Helm has too', async () => {
      const { counts, wrong } = await Score.of(importCharts(corpus, attempt));
      expect(wrong).toEqual([]);
      if (isLongRun) expect(counts).toMatchObject({ imported: 44, refused: 15 });
      expect(counts.imported).toBeGreaterThanOrEqual(countOf(44));
    }, 180_000);

    it('render as in the reference, resource by resource', async () => {
      const different: string[] = [];
      let equal = 0;
      for await (const each of comparedWithReference(corpus, attempt))
        if (each.equal) equal += 1;
        else different.push(each.path);
      expect(different).toEqual([]);
      if (isLongRun) expect(equal).toBe(95);
      expect(equal).toBeGreaterThanOrEqual(countOf(95));
    }, 120_000);

    it('that are hostile end as they should, and soon', async () => {
      const files = join(corpus, 'hostile/files');
      const cases = JSON.parse(readFileSync(join(files, 'cases.json'), 'utf8')) as Case[];
      const charts = cases.filter(({ kind }) => kind === 'helm');
      expect(charts).toHaveLength(14);
      for (const { file, expect: outcome } of charts) {
        const started = performance.now();
        const result = await attempt({ path: file, bytes: readFileSync(join(files, file)) });
        const seconds = Math.round((performance.now() - started) / 1000);
        if (outcome !== 'either')
          expect(`${file}: ${result instanceof AppError ? 'reject' : 'accept'}`).toBe(`${file}: ${outcome}`);
        if (result instanceof AppError) {
          expect({ file, status: result.status }).toEqual({ file, status: 400 });
          expect(result.errors.filter((fault) => fault.file === undefined)).toEqual([]);
        }
        expect(seconds).toBeLessThan(25);
      }
    }, 180_000);
  });
});
