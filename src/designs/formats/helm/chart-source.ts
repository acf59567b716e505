import { posix } from 'node:path';
import { type Fault } from '../../../core/errors/app-error.js';
import { isClutter } from '../../../formats/archives/archive-members.js';
import { findChartFolders, filesInFolder, parentFolder } from '../../../formats/helm/chart-folders.js';
import {
  type ChartDependency,
  type ChartMetadata,
  parseChartDependencies,
  parseChartMetadata,
} from '../../../formats/helm/chart-metadata.js';
import { IGNORE_FILE, withoutIgnoredFiles } from '../../../formats/helm/helm-ignore.js';
import { renameChartFolders, unpackNestedCharts } from '../../../formats/helm/nested-charts.js';
import { FaultList } from '../../../formats/sources/fault-list.js';
import { type FormatLimits } from '../../../formats/sources/format-limits.js';
import type { LocatedDocument } from '../../../formats/documents/located-document.js';
import { asText } from '../../../core/json/json.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { listPaths, toFolderName } from '../archive-listing.js';
import { type FormatInput } from '../format.js';

/** A complete chart: everything that rendering needs is present. */
export interface ChartSource {
  head: ChartMetadata;
  /** By path from the folder of Chart.yaml, as Helm loads it: without files that `.helmignore` excludes, dependencies as folders under their own names. */
  files: ReadonlyMap<string, SourceFile>;
  /** Whether the source is the chart as packed by `helm package`. */
  isPacked: boolean;
}

/** Finds the chart of an import and checks its Chart.yaml and dependencies. Throws InvalidRequest with all faults of them. */
export async function readChartSource(input: FormatInput, limits: FormatLimits): Promise<ChartSource> {
  const faults = new FaultList(limits.faults);
  const folder = await onlyFolder(input, faults);
  faults.throwIfAny(input.name);
  const all = filesInFolder(withoutUnsafeFiles(input.files), folder);
  const isPacked = isPackedByHelm(input, folder, all);
  const loaded = isPacked ? all : withoutIgnoredFiles(all);
  const unpacked = await unpackNestedCharts(loaded, limits);
  const names = await readChartNames(input, unpacked);
  const files = renameChartFolders(unpacked, names);
  const chartFile = files.get('Chart.yaml');
  if (!chartFile) faults.add(ignoredChartFault(all));
  faults.throwIfAny(input.name);
  const head = await readDocuments(input, chartFile, faults);
  const { head: found, faults: wrong } = parseChartMetadata(chartFile?.path ?? 'Chart.yaml', head);
  faults.add(...wrong);
  const documents = [...head, ...(await readDocuments(input, files.get('requirements.yaml'), faults))];
  const present = new Set([...names].filter(([path]) => /^charts\/[^/]+$/.test(path)).map(([, name]) => name));
  for (const dependency of parseChartDependencies(documents)) {
    if (present.has(dependency.name)) continue;
    const local = findAdjacentFiles(input, folder, dependency);
    for (const [path, file] of local) files.set(`charts/${dependency.name}/${path}`, file);
    if (local.size === 0) faults.add(missingDependencyFault(dependency));
  }
  faults.throwIfAny(input.name);
  return { head: found, files, isPacked };
}

/**
 * `helm package` writes Chart.yaml first, and leaves out ignored files; the rules do not apply to packed dependencies. Other tools write the folder
 * first, or the files by name or in directory order.
 */
function isPackedByHelm({ files }: FormatInput, folder: string, chart: ReadonlyMap<string, SourceFile>): boolean {
  const [first] = files.keys();
  if (folder === '' || first !== `${folder}/Chart.yaml`) return false;
  const own = new Map([...chart].filter(([path]) => !path.startsWith('charts/')));
  return withoutIgnoredFiles(own).size === own.size;
}

function ignoredChartFault(files: ReadonlyMap<string, SourceFile>): Fault {
  const file = files.get(IGNORE_FILE)?.path ?? IGNORE_FILE;
  return { file, detail: 'excludes Chart.yaml', remedy: 'Remove the rule that matches it.' };
}

/** The folders with charts that the caller may have chosen; a chart within another one only by its own path. */
export function findChosenCharts(input: FormatInput): string[] {
  const { chosenPath } = input;
  const folder = posix.basename(chosenPath) === 'Chart.yaml' ? parentFolder(chosenPath) : chosenPath;
  if (chosenPath !== '' && input.files.has(posix.join(folder, 'Chart.yaml'))) return [folder];
  return findChartFolders(withoutUnsafeFiles(input.files).keys()).filter((each) => input.isChosen(each));
}

/** Selects among several charts the one that no other depends on and that is no library; if that is ambiguous, the faults list them all. */
async function onlyFolder(input: FormatInput, faults: FaultList): Promise<string> {
  const folders = findChosenCharts(input);
  const needed = new Set<string>();
  for (const folder of folders.length > 1 ? folders : []) {
    const file = input.files.get(posix.join(folder, 'Chart.yaml'));
    const documents = await readDocuments(input, file, new FaultList(1));
    if (asText(documents[0]?.object?.['type']) === 'library') needed.add(folder);
    for (const { repository } of parseChartDependencies(documents)) needed.add(localFolder(folder, repository) ?? '//');
  }
  const left = folders.filter((folder) => !needed.has(folder));
  const [only, ...others] = left.length === 0 ? folders : left;
  if (only === undefined) {
    const remedy = 'Send the whole chart: the folder in which Chart.yaml, values.yaml and templates are.';
    faults.add({ file: input.name, detail: 'is a chart without Chart.yaml', remedy });
  } else if (others.length > 0) {
    const names = listPaths([only, ...others].map(toFolderName));
    const remedy = `Choose one with the field path, such as ${[only, ...others].find((folder) => folder !== '') ?? ''}.`;
    faults.add({ file: input.name, detail: `holds ${others.length + 1} charts: ${names}`, remedy });
  }
  return only ?? '';
}

/** The names of the charts below `charts/`, at every depth, by folder; Helm compares and packs them under these. */
async function readChartNames(
  input: FormatInput,
  files: ReadonlyMap<string, SourceFile>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const [path, file] of files) {
    if (!/^(?:charts\/[^/]+\/)+Chart\.yaml$/.test(path)) continue;
    const [document] = await readDocuments(input, file, new FaultList(1));
    names.set(parentFolder(path), asText(document?.object?.['name']));
  }
  return names;
}

/** The files of a dependency beside the chart in the same archive, as in `repository: file://../library`. */
function findAdjacentFiles(
  input: FormatInput,
  folder: string,
  { repository }: ChartDependency,
): ReadonlyMap<string, SourceFile> {
  const found = localFolder(folder, repository);
  if (found === undefined || !input.files.has(posix.join(found, 'Chart.yaml'))) return new Map();
  return withoutIgnoredFiles(filesInFolder(withoutUnsafeFiles(input.files), found));
}

function localFolder(folder: string, repository: string): string | undefined {
  if (!repository.startsWith('file://')) return undefined;
  const found = posix.join(folder, repository.slice('file://'.length));
  return found.startsWith('..') || found.startsWith('/') ? undefined : parentFolder(posix.join(found, 'Chart.yaml'));
}

function missingDependencyFault({ name, version, repository, document, pointer }: ChartDependency): Fault {
  const from = repository === '' ? '' : ` of ${repository.slice(0, 200)}`;
  return document.faultAt(
    pointer,
    `the dependency ${name} ${version}${from} is not in charts/`,
    'Run "helm dependency build" in the folder of the chart, and import it with the resulting charts/.',
  );
}

async function readDocuments(
  input: FormatInput,
  file: SourceFile | undefined,
  faults: FaultList,
): Promise<LocatedDocument[]> {
  if (!file) return [];
  return input.parse(file).catch((error: unknown) => faults.addFrom(error));
}

function withoutUnsafeFiles(files: ReadonlyMap<string, SourceFile>): ReadonlyMap<string, SourceFile> {
  return new Map([...files].filter(([path]) => !isClutter(path)));
}
