import { join } from 'node:path';
import { DocumentReader } from '../../src/formats/documents/document-reader.js';
import { DEFAULT_FORMAT_LIMITS } from '../../src/formats/sources/format-limits.js';
import { PackedDesign } from '../../src/formats/design-file/packed-design.js';
import { LocalRenderEngines } from '../../src/formats/engines/local-render-engines.js';
import type { ProgramQuestion } from '../../src/formats/engines/render-engines.js';
import { InlineTaskRunner } from '../../src/core/workers/task.js';
import { WorkerPool } from '../../src/core/workers/worker-pool.js';
import type { DesignFile } from '../../src/formats/design-file/design-file.js';
import { ChartExporter } from '../../src/designs/exports/chart-exporter.js';
import { ComposeCorpus } from '../../src/designs/formats/compose/corpus.fixture.js';
import {
  type Attempt,
  type ImportOutcome,
  importDesigns,
  importManifests,
  refusal,
  Score,
} from '../../src/designs/formats/corpus.fixture.js';
import { comparedWithReference, importCharts } from '../../src/designs/formats/helm/corpus.fixture.js';
import { importTask } from '../../src/designs/enrichment/import-task.js';
import {
  isRegistryQuestion,
  type KnownModels,
  type RegistryQuestion,
} from '../../src/designs/enrichment/enrich-design.js';
import type { PackedDefinitions } from '../../src/registry/relationships/evaluation/evaluation-task.js';
import { importKustomizations } from '../../src/designs/formats/kustomize/corpus.fixture.js';
import { load, table } from '../support/load.js';
import { LoopWatch } from '../support/loop-watch.js';

/** What of the whole corpus is imported, rightly refused or wrong, what comes back, what a megabyte takes and how long the event loop is held up. */
const need = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}, as for the tests`);
  return value;
};
const corpus = need('CORPUS_DIR');
const kubectl = join(need('KUBEBUILDER_ASSETS'), 'kubectl');
const programs = new LocalRenderEngines({ helm: need('HELM_BIN'), kustomize: kubectl });
const pool = new WorkerPool();
const watch = new LoopWatch();

/** What imports of one format took. */
class Costs {
  bytes = 0;
  ms = 0;
  /** Processor time of this process with its workers; programs are others. */
  cpu = 0;
  stall = 0;

  /** Imports as the server does: one task of a worker, from bytes to bytes. */
  readonly attempt: Attempt = async (file, { programs: _programs, limits: _limits, ...options } = {}) => {
    const bytes = new Uint8Array(file.bytes);
    this.bytes += bytes.length;
    watch.longest();
    const began = performance.now();
    const before = process.cpuUsage();
    const result = await pool
      .run(
        importTask,
        { file: { path: file.path, bytes }, types: null, options, limits: DEFAULT_FORMAT_LIMITS },
        {
          transferList: [bytes.buffer],
          answerQuestion: async (question) =>
            isRegistryQuestion(question)
              ? answerFromEmptyRegistry(question)
              : programs.answerQuestion(question as ProgramQuestion),
        },
      )
      .catch(refusal);
    this.ms += performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    this.cpu += (user + system) / 1000;
    this.stall = Math.max(this.stall, watch.longest().cpu);
    if (result instanceof Error) return result;
    const design = JSON.parse(Buffer.from(new PackedDesign(result.design).toBytes()).toString()) as DesignFile;
    return { ...result, design };
  };
}

const answerFromEmptyRegistry = ({ registry }: RegistryQuestion): KnownModels | PackedDefinitions =>
  registry === 'models' ? new Map() : { digest: '', json: Buffer.from('[]') };

const charts = new ChartExporter(new DocumentReader(new InlineTaskRunner()), new InlineTaskRunner());
const compose = new ComposeCorpus(corpus);
const formats: Record<string, (attempt: Attempt) => AsyncIterable<ImportOutcome>> = {
  kubernetes: (attempt) => importManifests(corpus, attempt),
  design: (attempt) => importDesigns(corpus, attempt),
  'docker-compose': (attempt) => measured(compose.outcomes(), attempt),
  helm: (attempt) => importCharts(corpus, attempt, ({ design }, source) => charts.fromSource(design, source)),
  kustomize: (attempt) => importKustomizations(corpus, kubectl, attempt),
};

const rows: string[][] = [];
const notes: string[] = [];
const total = { right: 0, all: 0, equal: 0, written: 0 };
try {
  // The first worker loads its modules.
  await new Costs().attempt({ path: 'a.yaml', bytes: Buffer.from('a: 1') });
  for (const [name, importAll] of Object.entries(formats)) {
    const costs = new Costs();
    const { counts, wrong, trips, resources } = await Score.of(importAll(costs.attempt));
    const { imported, refused, foreign } = counts;
    const all = imported + refused + foreign + counts.wrong;
    const written = trips.equal + trips.different.length;
    total.right += all - counts.wrong;
    total.all += all;
    total.equal += trips.equal;
    total.written += written;
    rows.push([
      name,
      ...[imported, resources, refused, foreign, counts.wrong].map(String),
      share(all - counts.wrong, all),
      written === 0 ? '-' : `${trips.equal} of ${written} (${share(trips.equal, written)})`,
      (costs.ms / (costs.bytes / 1e6)).toFixed(0),
      (costs.cpu / (costs.bytes / 1e6)).toFixed(0),
      costs.stall.toFixed(0),
    ]);
    notes.push(...wrong.map((line) => `wrong, ${name}: ${line}`));
    notes.push(...trips.different.map((line) => `does not come back, ${name}: ${line}`));
  }
  console.log(table(['', 'imported', 'components', 'rightly refused', 'not of this format', 'wrong', 'right', 'comes back', 'ms/MB', 'CPU ms/MB', 'stall CPU ms'], rows)); // prettier-ignore
  console.log(`\n${total.right} of ${total.all} inputs are right (${share(total.right, total.all)}), ${total.equal} of ${total.written} come back equal (${share(total.equal, total.written)})`); // prettier-ignore
  await compareWithOthers();
  for (const line of notes) console.log(line);
  console.log(`\nload average ${load()}`);
} finally {
  programs.close();
  await pool.close();
}

/** The conversion of Compose against kompose, and charts against what Helm rendered for their authors. */
async function compareWithOthers(): Promise<void> {
  const kompose = { equal: 0, explained: 0, wrong: 0 };
  for await (const { path, outcome, why } of compose.comparedWithKompose()) {
    kompose[outcome] += 1;
    if (outcome !== 'equal') notes.push(`${outcome}, against kompose: ${path}: ${why}`);
  }
  console.log(`Compose against the results of kompose: ${kompose.equal} equal in kinds, ${kompose.explained} explained, ${kompose.wrong} wrong`); // prettier-ignore
  const helm = { equal: 0, different: 0 };
  for await (const { path, equal } of comparedWithReference(corpus, new Costs().attempt)) {
    helm[equal ? 'equal' : 'different'] += 1;
    if (!equal) notes.push(`different from its reference: ${path}`);
  }
  console.log(`Charts against reference renderings: ${helm.equal} resources equal, ${helm.different} different`);
}

/** Compose files are imported with the files of their repository, and timed as uploaded: alone. */
async function* measured(outcomes: AsyncIterable<ImportOutcome>, attempt: Attempt): AsyncGenerator<ImportOutcome> {
  for await (const each of outcomes) {
    const [project = '', ...path] = each.path.split('/');
    const file = compose.filesOf(project).get(path.join('/'));
    if (file && file.bytes.length > 0) await attempt(file);
    yield each;
  }
}

function share(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}
