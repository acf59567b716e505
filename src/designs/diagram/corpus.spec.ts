import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, partOf } from '../../../test/support/long-run.js';
import { requires } from '../../../test/support/requirements.js';
import { AppError } from '../../core/errors/app-error.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import { type DesignFile } from '../../formats/design-file/design-file.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { evaluate } from '../../registry/relationships/evaluation/evaluate.js';
import { loadKubernetesRelationships } from '../../registry/seed/kubernetes-relationships.js';
import { importDesign } from '../formats/import-design.js';
import { packContent } from '../contents/packed-content.js';
import { buildDiagram } from './build-diagram.js';
import { diagramTask } from './render-diagram.js';

const definitions = loadKubernetesRelationships().map((definition) => ({
  model: { name: 'kubernetes', version: 'v1.35.0' },
  definition,
}));

/** Elements that are opened and not closed, or the other way round, and ampersands that begin no reference. */
function faultsIn(svg: string): string[] {
  const open: string[] = [];
  const faults = [...svg.matchAll(/&(?!#\d+;)/g)].map(({ index }) => `an ampersand at ${index}`);
  for (const [tag, end, name = '', , isEmpty] of svg.matchAll(/<(\/?)([a-z]+)((?:\s[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    if (isEmpty) continue;
    if (!end) open.push(name);
    else if (open.pop() !== name) faults.push(tag);
  }
  const text = svg.replace(/<\/?[a-z]+(?:\s[\w:-]+="[^"<]*")*\s*\/?>/g, '');
  return [...faults, ...open, ...(text.match(/.{0,20}<.{0,20}/g) ?? [])];
}

const sizeOf = (svg: string): number[] => /viewBox="0 0 (\d+) (\d+)"/.exec(svg)?.slice(1).map(Number) ?? [];

requires('CORPUS_DIR', 'pictures of the designs of the corpus', (corpus) => {
  const pool = new WorkerPool();
  const reader = new DocumentReader(pool);
  afterAll(() => pool.close());

  async function designs(folder: string, pattern: RegExp, step = 1): Promise<DesignFile[]> {
    const names = readdirSync(join(corpus, folder), { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name)).sort(); // prettier-ignore
    const read: DesignFile[] = [];
    for (const name of partOf(names.filter((_name, index) => index % step === 0))) {
      const bytes = readFileSync(join(corpus, folder, name));
      const imported = await importDesign({ path: name, bytes }, reader).catch((error: unknown) => {
        if (error instanceof AppError) return null;
        throw error;
      });
      if (imported) read.push(evaluate(imported.design, definitions).design);
    }
    return read;
  }

  it.each([
    ['meshery/designs', /design\.yml$/, 1, 100],
    ['kubernetes', /(?<!kustomization)\.ya?ml$/, 8, 90],
    ['compose', /compose[^/]*\.ya?ml$/, 4, 20],
  ] as const)(
    'are drawn in the worker, each component on one card, well-formed and of the shape of a screen: %s',
    async (folder, pattern, step, least) => {
      const all = await designs(folder, pattern, step);
      expect(all.length).toBeGreaterThanOrEqual(countOf(least));
      for (const design of all) {
        const content = new Uint8Array(await packContent(JSON.stringify(design)));
        const svg = await pool.run(diagramTask, {
          content,
          title: design.name,
          theme: 'auto',
          hide: [],
          depth: 1,
          onlySummary: false,
        });
        const { nodes } = buildDiagram(design, design.name);
        expect({ name: design.name, faults: faultsIn(svg) }).toEqual({ name: design.name, faults: [] });
        const shown = [...svg.matchAll(/<g class="card[^>]* data-components="([^"]*)"/g)].flatMap(([, ids = '']) =>
          ids.split(' '),
        );
        expect(shown.sort()).toEqual(nodes.map(({ members: [member] }) => member?.id).sort());
        const [width = 0, height = 0] = sizeOf(svg);
        expect({
          name: design.name,
          isStrip: Math.max(width, height) > 2000 && (height > 2.5 * width || width > 4 * height),
        }).toEqual({ name: design.name, isStrip: false });
      }
    },
    120_000,
  );
});
