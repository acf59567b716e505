import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { requires } from '../../../../test/support/requirements.js';
import { createDesign } from '../../../formats/design-file/canonical-design.js';
import { toComponents } from '../../../formats/design-file/design-component.js';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { loadKubernetesRelationships } from '../../seed/kubernetes-relationships.js';
import { evaluate } from './evaluate.js';

interface LabelledApplication {
  app: string;
  files: string[];
  edges: { from: string; to: string; kind: string; subType: string; why: string }[];
}

const LABELS = 'test/relationships/labels';

const definitions = loadKubernetesRelationships().map((definition) => ({
  model: { name: 'kubernetes', version: 'v1.35.0' },
  definition,
}));

function resourcesIn(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  return Array.isArray(value['items']) ? value['items'].flatMap(resourcesIn) : [value];
}

async function manifestsAt(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const names = (await readdir(path)).filter((name) => /\.(?:ya?ml|json)$/.test(name) && name !== 'kustomization.yaml');
  const paths = names.sort().map((name) => join(path, name));
  const files = await Promise.all(paths.map(async (each) => ((await stat(each)).isFile() ? each : undefined)));
  return files.filter((each) => each !== undefined);
}

async function designOf(corpus: string, { app, files }: LabelledApplication): Promise<DesignFile> {
  const paths = (await Promise.all(files.map((file) => manifestsAt(join(corpus, file))))).flat();
  const bytes = await Promise.all(paths.map((path) => readFile(path)));
  const documents = paths.flatMap((path, index) => parseDocuments({ path, bytes: bytes[index] ?? new Uint8Array() }));
  const resources = documents.flatMap(({ value }) => resourcesIn(value));
  return createDesign({ name: app, components: toComponents(resources.filter(({ kind }) => kind !== undefined)) });
}

/** Edges that were found, as labels write them; siblings are not labelled. */
function foundIn(design: DesignFile): string[] {
  const names = new Map(
    design.components.map(({ id, component, configuration }) => {
      const { name, generateName } = asObject(configuration['metadata']);
      return [id, `${component.kind}/${asText(name) || asText(generateName)}`];
    }),
  );
  const { relationships } = evaluate(design, definitions).design;
  return relationships.flatMap((relationship) => {
    const { kind, type, subType, selectors } = relationship;
    const [set] = Array.isArray(selectors) ? selectors : [];
    const allow = asObject(asObject(set)['allow']);
    const [from, to] = [allow['from'], allow['to']].map((list) => asObject(Array.isArray(list) ? list[0] : undefined));
    if (type === 'sibling') return [];
    const [one, other] = [from, to].map((end) => names.get(asText(end?.['id'])) ?? '');
    return [`${one} > ${other} ${asText(kind)} ${asText(subType)}`];
  });
}

async function labels(): Promise<LabelledApplication[]> {
  const files = (await readdir(LABELS)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(LABELS, file), 'utf8')));
  return texts.flatMap((text) => JSON.parse(text) as LabelledApplication[]);
}

interface Score {
  right: number;
  wrong: number;
  missed: number;
}

function shown([name, { right, wrong, missed }]: [string, Score]): string {
  const [precision, recall] = [right / (right + wrong), right / (right + missed)].map((each) => each.toFixed(3));
  return `${name}: precision ${precision}, recall ${recall} (${right} right, ${wrong} wrong, ${missed} missed)`;
}

it('has at least 320 labelled edges in 26 applications', async () => {
  const applications = await labels();
  const edges = applications.flatMap((application) => application.edges);
  expect(applications.length).toBeGreaterThanOrEqual(26);
  expect(edges.length).toBeGreaterThanOrEqual(320);
  for (const { edges: own } of applications) {
    const keys = own.map(({ from, to, kind, subType }) => `${from} > ${to} ${kind} ${subType}`);
    expect(new Set(keys).size).toBe(keys.length);
  }
});

requires('CORPUS_DIR', 'the labelled applications', (corpus) => {
  it('are found as a person reads them', async () => {
    const scores = new Map<string, Score>();
    const score = (edge: string): Score[] =>
      ['all', edge.split(' ').at(-1) ?? ''].map((name) => {
        const own = scores.get(name) ?? { right: 0, wrong: 0, missed: 0 };
        scores.set(name, own);
        return own;
      });
    const differences: string[] = [];
    for (const application of await labels()) {
      const found = foundIn(await designOf(corpus, application));
      const expected = application.edges.map(({ from, to, kind, subType }) => `${from} > ${to} ${kind} ${subType}`);
      for (const edge of found) {
        const right = expected.includes(edge);
        for (const each of score(edge)) each[right ? 'right' : 'wrong'] += 1;
        if (!right) differences.push(`${application.app}: wrong ${edge}`);
      }
      for (const edge of expected.filter((each) => !found.includes(each))) {
        for (const each of score(edge)) each.missed += 1;
        differences.push(`${application.app}: missed ${edge}`);
      }
    }
    process.stdout.write(`${[...[...scores].map(shown), ...differences].join('\n')}\n`);
    const { right, wrong, missed } = scores.get('all') ?? { right: 0, wrong: 1, missed: 1 };
    expect(right / (right + wrong)).toBeGreaterThanOrEqual(0.97);
    expect(right / (right + missed)).toBeGreaterThanOrEqual(0.97);
  }, 60_000);
});
