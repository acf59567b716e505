import { isDeepStrictEqual } from 'node:util';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { partOf } from '../../../../test/support/long-run.js';
import { AppError } from '../../../core/errors/app-error.js';
import { resourceIdentity, toResource } from '../../../formats/design-file/design-component.js';
import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import { asObject, type JsonObject } from '../../../core/json/json.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { archiveOf, filesIn } from '../archive.fixture.js';
import { type Attempt, type ImportOutcome, same } from '../corpus.fixture.js';
import { type ImportedDesign } from '../format.js';

/** Charts that Helm refuses as well, and the text of its refusal. */
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

/** Exports a design as a chart. */
export type WriteChart = (imported: ImportedDesign, source: SourceFile) => Promise<Uint8Array>;

/** The charts, packed or as a folder. With `write` imports are exported and read again. */
export async function* importCharts(
  corpus: string,
  attempt: Attempt,
  write?: WriteChart,
): AsyncGenerator<ImportOutcome> {
  const root = join(corpus, 'helm');
  const folders = readdirSync(root).filter((name) => name !== 'packed');
  const archives = readdirSync(join(root, 'packed'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tgz')); // prettier-ignore
  const sent = [
    ...folders.map((name) => async () => archiveOf(filesIn(join(root, name), name), name)),
    ...archives.map((name) => () => ({ path: basename(name), bytes: readFileSync(join(root, 'packed', name)) })),
  ];
  for (const file of partOf(sent)) {
    const chart = await file();
    const { path } = chart;
    const result = await attempt(chart);
    if (result instanceof AppError) {
      const said = result.errors.map(({ detail }) => detail).join('\n');
      const expected = refusals[path];
      const located = result.errors.every(({ file: at, line, remedy }) => at && line && remedy);
      const isRight = expected !== undefined && said.includes(expected) && located;
      yield { path, outcome: isRight ? 'refused' : 'wrong', why: said };
    } else if (result.sourceType !== 'helm' || path in refusals) yield { path, outcome: 'wrong', why: 'is imported' };
    else {
      const again = write && (await roundTrips([result, await attempt(chart)], await write(result, chart), attempt));
      yield { path, outcome: 'imported', why: '', imported: result, ...(again === undefined ? {} : { again }) };
    }
  }
}

/** Whether an exported chart renders to the same resources, except those that differ from one rendering to the next. */
async function roundTrips(
  [imported, second]: [ImportedDesign, ImportedDesign | AppError],
  bytes: Uint8Array,
  attempt: Attempt,
): Promise<boolean> {
  const again = await attempt({ path: 'again.tgz', bytes }, { name: imported.name });
  if (again instanceof AppError || second instanceof AppError) return false;
  const others = new Map(second.design.components.map((component) => [component.id, component]));
  const changing = imported.design.components.flatMap(({ id, configuration }) =>
    isDeepStrictEqual(configuration, others.get(id)?.configuration) ? [] : [id],
  );
  const resources = ({ design }: ImportedDesign) =>
    design.components.filter(({ id }) => !changing.includes(id)).map(toResource);
  return same(resources(again), resources(imported));
}

/** The namespace of the release is no part of a design. */
export function withoutDefaultNamespace(resource: JsonObject): JsonObject {
  const { namespace, ...metadata } = asObject(resource['metadata']);
  return namespace === 'default' ? { ...resource, metadata } : resource;
}

/** The resources of the chart of the corpus with reference renderings, each with its reference. */
export async function* comparedWithReference(
  corpus: string,
  attempt: Attempt,
): AsyncGenerator<{ path: string; equal: boolean }> {
  const root = join(corpus, 'helm/opentelemetry-collector');
  const chart = await archiveOf(filesIn(root, 'opentelemetry-collector'));
  const examples = join(root, 'examples');
  for (const example of partOf(readdirSync(examples))) {
    const values = readdirSync(join(examples, example)).filter((name) => name.endsWith('values.yaml'));
    const made = new Map<string, JsonObject[]>();
    for (const name of values) {
      const result = await attempt(chart, {
        values: readFileSync(join(examples, example, name), 'utf8'),
        release: { name: 'example', namespace: 'default' },
      });
      if (result instanceof AppError) throw result;
      for (const resource of result.design.components.map(toResource))
        made.set(resourceIdentity(resource), [...(made.get(resourceIdentity(resource)) ?? []), resource]);
    }
    for (const [path, bytes] of Object.entries(filesIn(join(examples, example, 'rendered'), example))) {
      for (const document of parseDocuments({ path, bytes })) {
        const object = withoutDefaultNamespace(document.object ?? {});
        const own = made.get(resourceIdentity(object)) ?? [];
        yield { path: `${path}: ${resourceIdentity(object)}`, equal: own.some((resource) => same(resource, object)) };
        made.delete(resourceIdentity(object));
      }
    }
    for (const identity of made.keys()) yield { path: `${example}: ${identity} is not in the reference`, equal: false };
  }
}
