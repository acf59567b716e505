import { posix } from 'node:path';
import { type SourceFile } from '../sources/source-file.js';

const CHART_FILE = 'Chart.yaml';

/** The outermost chart folders of an archive: dependencies and examples within a chart are part of it. */
export function findChartFolders(paths: Iterable<string>): string[] {
  const folders = new Set([...paths].filter((path) => posix.basename(path) === CHART_FILE).map(parentFolder));
  return [...folders].filter((folder) => !isWithinFolders(folder, folders));
}

/** Whether a path is below one of the folders; a folder is not below itself. */
export function isWithinFolders(path: string, folders: ReadonlySet<string>): boolean {
  if (folders.has('') && path !== '') return true;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    if (folders.has(path.slice(0, at))) return true;
  }
  return false;
}

/** Whether a path is in a folder; every path is in the root folder, whose name is empty. */
export function isInFolder(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/** The files in a folder by their path relative to it; `path` of each file stays the one in the upload. */
export function filesInFolder(files: ReadonlyMap<string, SourceFile>, folder: string): Map<string, SourceFile> {
  const start = folder === '' ? 0 : folder.length + 1;
  return new Map(
    [...files].filter(([path]) => isInFolder(path, folder)).map(([path, file]) => [path.slice(start), file]),
  );
}

/** The folder of a path; empty for a path in the root. */
export function parentFolder(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}
