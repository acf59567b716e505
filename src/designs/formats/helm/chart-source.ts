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
import { unpackNestedCharts } from '../../../formats/helm/nested-charts.js';
import { FaultList } from '../../../formats/sources/fault-list.js';
import { type FormatLimits } from '../../../formats/sources/format-limits.js';
import { type LocatedDocument, asText } from '../../../formats/documents/located-document.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { type FormatInput } from '../format.js';

/** A chart that is whole: nothing is missing that rendering needs. */
export interface ChartSource {
  head: ChartMetadata;
  /** By path from the folder of Chart.yaml, packed dependencies as folders. */
  files: ReadonlyMap<string, SourceFile>;
}

/** Finds the chart of an import and looks at its head and its dependencies. Throws InvalidRequest with all that is wrong with them. */
export async function readChartSource(input: FormatInput, limits: FormatLimits): Promise<ChartSource> {
  const faults = new FaultList(limits.faults);
  const folder = await onlyFolder(input, faults);
  faults.throwIfAny(input.name);
  const files = new Map(await unpackNestedCharts(filesInFolder(withoutUnsafeFiles(input.files), folder), limits));
  const head = await readDocuments(input, files.get('Chart.yaml'), faults);
  const { head: found, faults: wrong } = parseChartMetadata(files.get('Chart.yaml')?.path ?? 'Chart.yaml', head);
  faults.add(...wrong);
  const documents = [...head, ...(await readDocuments(input, files.get('requirements.yaml'), faults))];
  const present = await namesOfDependencies(input, files);
  for (const dependency of parseChartDependencies(documents)) {
    if (present.has(dependency.name)) continue;
    const local = findAdjacentFiles(input, folder, dependency);
    for (const [path, file] of local) files.set(`charts/${dependency.name}/${path}`, file);
    if (local.size === 0) faults.add(missingDependencyFault(dependency));
  }
  faults.throwIfAny(input.name);
  return { head: found, files };
}

/** Of several charts the one that no other needs and that is no library; faults name them all when that does not decide. */
async function onlyFolder(input: FormatInput, faults: FaultList): Promise<string> {
  const folders = findChartFolders(withoutUnsafeFiles(input.files).keys());
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
    const names = [only, ...others].slice(0, 20).join(', ');
    const remedy = 'Send an archive of the chart that you mean.';
    faults.add({ file: input.name, detail: `holds ${others.length + 1} charts: ${names}`, remedy });
  }
  return only ?? '';
}

/** The names by which charts below `charts/` call themselves; that is what Helm compares. */
async function namesOfDependencies(input: FormatInput, files: ReadonlyMap<string, SourceFile>): Promise<Set<string>> {
  const names = new Set<string>();
  for (const [path, file] of files) {
    if (!/^charts\/[^/]+\/Chart\.yaml$/.test(path)) continue;
    const [document] = await readDocuments(input, file, new FaultList(1));
    names.add(asText(document?.object?.['name']));
  }
  return names;
}

/** The files of a dependency that lies beside the chart in the same archive, as `repository: file://../library` says. */
function findAdjacentFiles(
  input: FormatInput,
  folder: string,
  { repository }: ChartDependency,
): Map<string, SourceFile> {
  const found = localFolder(folder, repository);
  if (found === undefined || !input.files.has(posix.join(found, 'Chart.yaml'))) return new Map();
  return filesInFolder(withoutUnsafeFiles(input.files), found);
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
    'Run "helm dependency build" in the folder of the chart, and import it with what that puts into charts/.',
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
