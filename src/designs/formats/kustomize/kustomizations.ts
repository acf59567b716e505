import { posix } from 'node:path';
import { isClutter } from '../../../formats/archives/archive-members.js';
import { findChartFolders, parentFolder, isWithinFolders } from '../../../formats/helm/chart-folders.js';
import { type FormatInput } from '../format.js';

/** The file names that mark a folder as a Kustomization. */
export const KUSTOMIZATION_NAMES: ReadonlySet<string> = new Set([
  'kustomization.yaml',
  'kustomization.yml',
  'Kustomization',
]);

/** The files that mark folders as Kustomizations; those inside a chart are part of the chart. */
export function findKustomizations(input: FormatInput): string[] {
  const paths = [...input.files.keys()].filter(
    (path) => KUSTOMIZATION_NAMES.has(posix.basename(path)) && !isClutter(path),
  );
  if (paths.length === 0) return [];
  const charts = new Set(findChartFolders(input.files.keys()));
  return paths.filter((path) => !isWithinFolders(parentFolder(path), charts));
}

/** The Kustomizations at the path in the request; all without a path. */
export const findChosenKustomizations = (input: FormatInput): string[] =>
  findKustomizations(input).filter((path) => input.isChosen(path));
