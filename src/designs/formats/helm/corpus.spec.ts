import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { requires } from '../../../../test/support/requirements.js';
import { AppError } from '../../../core/errors/app-error.js';
import { identityOf, resourceOf } from '../../../formats/design-component.js';
import { DocumentReader } from '../../../formats/document-reader.js';
import { readDocuments } from '../../../formats/documents.js';
import { type JsonObject } from '../../../formats/located.js';
import { Programs } from '../../../formats/programs/programs.js';
import { type SourceFile } from '../../../formats/source-file.js';
import { WorkerPool } from '../../../formats/worker-pool.js';
import { archiveOf, filesIn } from '../archive.fixture.js';
import { importDesign } from '../detect.js';
import { type ImportedDesign, type ReadOptions } from '../format.js';

/** Charts that Helm refuses as well, and the words by which it is told. */
const refusals: Record<string, string> = {
  common: 'is a library chart',
  etcd: 'the dependency common',
  kafka: 'the dependency common',
  karpenter: 'settings.clusterName',
  mongodb: 'the dependency common',
  nginx: 'the dependency common',
  prometheus: 'the dependency alertmanager',
  redis: 'the dependency common',
  'rook-ceph-cluster': 'the dependency library',
  'rook-library': 'is a library chart',
  'common-2.31.10.tgz': 'is a library chart',
  'karpenter-1.14.1.tgz': 'settings.clusterName',
  'nginx-22.1.1.tgz': '.Values.tls.enabled',
  'prometheus-29.27.0.tgz': 'the dependency alertmanager',
  'rook-library-0.0.1.tgz': 'is a library chart',
};

interface Case {
  file: string;
  kind: string;
  expect: 'accept' | 'reject' | 'either';
}

requires('CORPUS_DIR', 'the charts of the corpus', (corpus) => {
  requires('HELM_BIN', 'with Helm', (helm) => {
    const root = join(corpus, 'helm');
    const pool = new WorkerPool();
    const reader = new DocumentReader(pool);
    const programs = new Programs({ helm });
    afterAll(() => pool.close());

    const attempt = (file: SourceFile, options: ReadOptions = {}): Promise<ImportedDesign | AppError> =>
      importDesign(file, reader, { programs, ...options }).catch((error: unknown) => {
        if (error instanceof AppError) return error;
        throw error;
      });
    const folders = () => readdirSync(root).filter((name) => name !== 'packed');
    const archives = () => readdirSync(join(root, 'packed'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tgz')); // prettier-ignore

    it('are imported, packed or as folders, or refused for the reason that Helm has too', async () => {
      const count = { imported: 0, refused: 0, resources: 0, hooks: 0 };
      const wrong: string[] = [];
      const sent = [
        ...folders().map((name) => async () => archiveOf(filesIn(join(root, name), name), name)),
        ...archives().map((name) => () => ({ path: basename(name), bytes: readFileSync(join(root, 'packed', name)) })),
      ];
      for (const file of sent) {
        const chart = await file();
        const result = await attempt(chart);
        if (result instanceof AppError) {
          count.refused += 1;
          const said = result.errors.map(({ detail }) => detail).join('\n');
          const expected = refusals[chart.path];
          const located = result.errors.every(({ file: at, line, remedy }) => at && line && remedy);
          if (expected === undefined || !said.includes(expected) || !located) wrong.push(`${chart.path}: ${said}`);
          continue;
        }
        count.imported += 1;
        count.resources += result.design.components.length;
        count.hooks += result.design.components.filter(({ metadata }) => 'hook' in (metadata['helm'] as object)).length;
        if (result.sourceType !== 'helm' || chart.path in refusals) wrong.push(`${chart.path}: is imported`);
      }
      console.info(
        `Helm corpus: ${count.imported} charts imported (${count.resources} resources, ${count.hooks} of them hooks), ${count.refused} rightly refused, ${wrong.length} wrong`,
      );
      expect(wrong).toEqual([]);
      expect(count).toMatchObject({ imported: 44, refused: 15 });
    }, 180_000);

    it('render as in the reference, resource by resource', async () => {
      const chart = await archiveOf(filesIn(join(root, 'opentelemetry-collector'), 'opentelemetry-collector'));
      const examples = join(root, 'opentelemetry-collector/examples');
      const different: string[] = [];
      let equal = 0;
      for (const example of readdirSync(examples)) {
        const values = readdirSync(join(examples, example)).filter((name) => name.endsWith('values.yaml'));
        const made = new Map<string, JsonObject[]>();
        for (const name of values) {
          const result = await attempt(chart, {
            values: readFileSync(join(examples, example, name), 'utf8'),
            release: { name: 'example', namespace: 'default' },
          });
          if (result instanceof AppError) throw result;
          for (const resource of result.design.components.map(resourceOf))
            made.set(identityOf(resource), [...(made.get(identityOf(resource)) ?? []), resource]);
        }
        for (const [path, bytes] of Object.entries(filesIn(join(examples, example, 'rendered'), example))) {
          for (const { object = {} } of readDocuments({ path, bytes })) {
            const own = made.get(identityOf(object)) ?? [];
            if (own.some((resource) => JSON.stringify(sorted(resource)) === JSON.stringify(sorted(object)))) equal += 1;
            else different.push(`${path}: ${identityOf(object)}`);
            made.delete(identityOf(object));
          }
        }
        different.push(...[...made.keys()].map((identity) => `${example}: ${identity} is not in the reference`));
      }
      console.info(`Helm references: ${equal} resources equal, ${different.length} different`);
      expect(different).toEqual([]);
      expect(equal).toBe(95);
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

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
