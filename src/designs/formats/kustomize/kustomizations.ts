import { posix } from 'node:path';
import { isClutter } from '../../../formats/archives/archive-members.js';
import { findChartFolders, parentFolder, isWithinFolders } from '../../../formats/helm/chart-folders.js';
import { type FormatInput } from '../format.js';

/** The names by which a folder says that it is one. */
export const KUSTOMIZATION_NAMES: ReadonlySet<string> = new Set([
  'kustomization.yaml',
  'kustomization.yml',
  'Kustomization',
]);

/** The files by which folders say that they are Kustomizations; those somewhere inside of a chart are part of it. */
export function findKustomizations(input: FormatInput): string[] {
  const paths = [...input.files.keys()].filter(
    (path) => KUSTOMIZATION_NAMES.has(posix.basename(path)) && !isClutter(path),
  );
  if (paths.length === 0) return [];
  const charts = new Set(findChartFolders(input.files.keys()));
  return paths.filter((path) => !isWithinFolders(parentFolder(path), charts));
}

/** Those of them that the caller chose: all unless a path was sent. */
export const findChosenKustomizations = (input: FormatInput): string[] =>
  findKustomizations(input).filter((path) => input.isChosen(path));
