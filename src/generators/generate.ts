import { AppError, type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { detectArchiveKind, archiveKindFromName, unpackArchive } from '../formats/archives/archive.js';
import { findChartFolders, filesInFolder } from '../formats/helm/chart-folders.js';
import { withoutIgnoredFiles } from '../formats/helm/helm-ignore.js';
import { type FormatLimits } from '../formats/sources/format-limits.js';
import { type SourceFile } from '../formats/sources/source-file.js';
import { type WorkerPool } from '../core/workers/worker-pool.js';
import { defineTask, type Task } from '../core/workers/task.js';
import { type ComponentDefinition } from '../formats/definitions/definitions.js';
import { definitionDigest } from '../formats/definitions/definition-digest.js';
import { mayDefineInTemplates } from './chart.js';
import { type ClusterInput, generateFromCluster } from './generate-from-cluster.js';
import { detectSource, GENERATORS } from './detect-source.js';
import { type GenerationResult, type GeneratorConfig, type SourceKind } from './generator.js';
import { GeneratorSource } from './generator-source.js';

/** Characters of schemas in one message between threads. */
const CHUNK_CHARACTERS = 1_000_000;

/** The options of a generation. */
export interface GenerateOptions {
  pool: WorkerPool;
  limits: FormatLimits;
  config?: GeneratorConfig;
  /** The type of the source; by default detected by content. */
  kind?: SourceKind;
  /** Renders a chart, given as files by path from its folder, to YAML; called when its templates may contain definitions. Its errors become faults, and the rest of the chart is used. */
  render?: (chart: ReadonlyMap<string, SourceFile>) => Promise<string>;
}

interface GenerateInput {
  name: string;
  archive: boolean;
  files: SourceFile[];
  kind: SourceKind | undefined;
  config: GeneratorConfig;
  rendered: string | undefined;
  limits: FormatLimits;
}

const generateTask: Task<GenerateInput, Iterable<GenerationPart>> = defineTask(import.meta.url, { generateInWorker });
const clusterTask: Task<ClusterInput, Iterable<GenerationPart>> = defineTask(import.meta.url, {
  generateClusterInWorker,
});

/** A message between threads. */
type GenerationPart = { generated: GenerationResult } | { components: [number, ComponentDefinition][] };

/**
 * Generates models from a source: a file of definitions, an OpenAPI document, a chart, or an archive of these.
 * The result contains everything valid, and the faults of the rest. Throws InvalidRequest for an unsupported source, or when nothing in it is valid.
 */
export async function generateModels(file: SourceFile, options: GenerateOptions): Promise<GenerationResult> {
  const { pool, limits, config = {}, kind, render } = options;
  if (file.bytes.length === 0)
    throw generationRefused(file.path, [{ file: file.path, detail: 'is empty', remedy: 'Send a file with content.' }]);
  const archive = detectArchiveKind(file.bytes) !== undefined || archiveKindFromName(file.path) !== undefined;
  const unpacked = archive ? await unpackArchive(file, limits) : new Map([[file.path, file]]);
  const [folder, ...more] = archive && (kind ?? 'helm') === 'helm' ? findChartFolders(unpacked.keys()) : [];
  const chartFiles = folder !== undefined && more.length === 0 ? filesInFolder(unpacked, folder) : undefined;
  const chart = chartFiles && withoutIgnoredFiles(chartFiles);
  const ignored = new Set(
    [...(chartFiles ?? [])].flatMap(([path, { path: sent }]) => (chart?.has(path) ? [] : [sent])),
  );
  const members = [...unpacked.values()].filter(({ path }) => !ignored.has(path));
  // Many valid charts render only with values of their user, so a chart is rendered only to find definitions.
  const { rendered, faults } =
    chart && render && mayDefineInTemplates(members) ? await tryRender(() => render(chart)) : {};
  // Separate copies: sending a view would send its whole underlying buffer.
  const files = members.map(({ path, bytes }) => ({ path, bytes: new Uint8Array(bytes) }));
  const input = { name: file.path, archive, files, kind, config, rendered, limits };
  const generated = joinParts(await pool.collect(generateTask, input));
  for (const fault of faults ?? []) generated.faults.push({ entity: 'file', path: fault.file ?? file.path, ...fault });
  if (generated.contents.length === 0) throw generationRefused(file.path, generated.faults);
  return generated;
}

/** Generates the models of a cluster. Throws InvalidRequest when none of its documents is valid. */
export async function generateClusterModels(input: ClusterInput, pool: WorkerPool): Promise<GenerationResult> {
  const generated = joinParts(await pool.collect(clusterTask, input));
  if (generated.contents.length === 0) throw generationRefused(input.name, generated.faults);
  return generated;
}

/** Task of the worker pool. */
export async function generateInWorker(input: GenerateInput): Promise<Iterable<GenerationPart>> {
  const { name, archive, files, kind, config, rendered, limits } = input;
  const source = new GeneratorSource(name, archive, files, limits);
  const generator = GENERATORS.find((one) => one.kind === kind) ?? detectSource(source);
  return toParts(await generator.generate(source, config, rendered));
}

/** Task of the worker pool. */
export function generateClusterInWorker(input: ClusterInput): Iterable<GenerationPart> {
  return toParts(generateFromCluster(input));
}

/** The result without components, followed by the components in batches, each with the index of its model. */
function* toParts({ contents, faults, warnings }: GenerationResult): Generator<GenerationPart> {
  yield { generated: { contents: contents.map((content) => ({ ...content, components: [] })), faults, warnings } };
  let components: [number, ComponentDefinition][] = [];
  let size = 0;
  for (const [index, content] of contents.entries()) {
    for (const component of content.components) {
      components.push([index, { ...component, digest: definitionDigest(component) }]);
      size += component.schema.length;
      if (size < CHUNK_CHARACTERS) continue;
      yield { components };
      [components, size] = [[], 0];
    }
  }
  yield { components };
}

function joinParts(received: readonly GenerationPart[]): GenerationResult {
  let generated: GenerationResult = { contents: [], faults: [], warnings: [] };
  for (const part of received) {
    if ('generated' in part) generated = part.generated;
    else for (const [index, component] of part.components) generated.contents[index]?.components.push(component);
  }
  return generated;
}

async function tryRender(render: () => Promise<string>): Promise<{ rendered?: string; faults?: Fault[] }> {
  try {
    return { rendered: await render() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, remedy, errors } = error;
    return { faults: errors.length > 0 ? errors : [{ detail: message, ...(remedy === undefined ? {} : { remedy }) }] };
  }
}

function generationRefused(name: string, faults: readonly Fault[]): InvalidRequest {
  const [first] = faults;
  const line = first?.line === undefined ? '' : `line ${first.line}, column ${first.column ?? 1}: `;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return new InvalidRequest(
    `${name}: ${line}${first?.detail ?? 'holds nothing that a model could be made of'}${more}`,
    {
      errors: [...faults],
      remedy: first?.remedy,
    },
  );
}
