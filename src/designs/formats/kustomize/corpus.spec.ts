import { join } from 'node:path';
import { countOf } from '../../../../test/support/long-run.js';
import { requires } from '../../../../test/support/requirements.js';
import { DocumentReader } from '../../../formats/documents/document-reader.js';
import { LocalRenderEngines } from '../../../formats/engines/local-render-engines.js';
import { WorkerPool } from '../../../core/workers/worker-pool.js';
import { refusal, Score } from '../corpus.fixture.js';
import { importDesign } from '../import-design.js';
import { importKustomizations } from './corpus.fixture.js';

requires('CORPUS_DIR', 'the Kustomizations of the corpus', (corpus) => {
  requires('KUBEBUILDER_ASSETS', 'with the kustomize of kubectl', (assets) => {
    const kubectl = join(assets, 'kubectl');
    const pool = new WorkerPool();
    const reader = new DocumentReader(pool);
    const programs = new LocalRenderEngines({ kustomize: kubectl });
    afterAll(() => pool.close());

    it('are imported as the program renders them, or refused with the place where it fails', async () => {
      const outcomes = importKustomizations(corpus, kubectl, (file) => importDesign(file, reader, { programs }).catch(refusal)); // prettier-ignore
      const { counts, wrong } = await Score.of(outcomes);
      expect(wrong).toEqual([]);
      expect(counts.imported).toBeGreaterThan(countOf(14));
    }, 120_000);
  });
});
