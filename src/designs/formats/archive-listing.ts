import { posix } from 'node:path';
import { isClutter, isTextFile } from '../../formats/archives/archive-members.js';
import { findChartFolders, isWithinFolders, parentFolder } from '../../formats/helm/chart-folders.js';
import { KUSTOMIZATION_NAMES } from './kustomize/kustomizations.js';
import type { SourceType } from './source-type.js';

/** Maximum number of listed paths of one kind; the others are counted. */
const MAX_NAMED = 20;
/** The file names that Compose looks for, including overrides and variants such as `compose.prod.yml`. */
const COMPOSE_FILE_NAME = /^(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$/;

const WORDS: Partial<Record<SourceType, string>> = {
  kustomize: 'Kustomizations',
  helm: 'charts',
  'docker-compose': 'Compose files',
};

/** The sources of designs in an archive by their names, by format: folders, and Compose files. */
function findSources(paths: readonly string[]): Map<SourceType, string[]> {
  const own = paths.filter((path) => !isClutter(path));
  const charts = findChartFolders(own);
  const folders = new Set(charts);
  const outside = own.filter((path) => !isWithinFolders(path, folders));
  const kustomizations = outside.filter((path) => KUSTOMIZATION_NAMES.has(posix.basename(path)));
  const found: [SourceType, string[]][] = [
    ['kustomize', kustomizations.map((path) => toFolderName(parentFolder(path)))],
    ['helm', charts.map(toFolderName)],
    ['docker-compose', outside.filter((path) => COMPOSE_FILE_NAME.test(posix.basename(path)))],
  ];
  return new Map(found.filter(([, members]) => members.length > 0));
}

/** A summary of an archive for messages; without recognized sources its first YAML and JSON files, else its first files. */
export function listContents(paths: readonly string[]): string {
  const sources = listSources(paths);
  if (sources !== '') return sources;
  const texts = paths.filter(isTextFile);
  return listPaths(texts.length > 0 ? texts : paths);
}

/** The sources in an archive of formats other than this one; empty without any. */
export function listSources(paths: readonly string[], except?: SourceType): string {
  return [...findSources(paths)]
    .filter(([sourceType]) => sourceType !== except)
    .map(([sourceType, members]) => `${WORDS[sourceType]}: ${listPaths(members)}`)
    .join('; ');
}

/** The first paths, and the number of the others. */
export function listPaths(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).join(', ');
  return paths.length > MAX_NAMED ? `${named} and ${paths.length - MAX_NAMED} more` : named;
}

/** A folder of an archive, as shown in messages. */
export const toFolderName = (folder: string): string => (folder === '' ? 'the top folder' : folder);
