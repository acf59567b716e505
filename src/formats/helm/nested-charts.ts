import { posix } from 'node:path';
import { AppError, InvalidRequest } from '../../core/errors/app-error.js';
import { unpackArchive } from '../archives/archive.js';
import { type UnpackedTotals } from '../archives/archive-contents.js';
import { type FormatLimits } from '../sources/format-limits.js';
import { type SourceFile } from '../sources/source-file.js';

const PACKED_CHART = /(?:^|\/)charts\/[^/]+\.tgz$/;
/** The innermost chart that contains a file. */
const DEPENDENCY_FOLDER = /^charts\/[^/]+(?:\/charts\/[^/]+)*(?=\/)/;
const CHART_NAME = /^[a-zA-Z0-9-][a-zA-Z0-9._-]*$/;
/** The maximum nesting of charts; real ones have two or three levels. */
const MAX_DEPTH = 8;

/**
 * A chart with its packed dependencies (`charts/x-1.2.3.tgz`) unpacked as folders, at every depth, so that all of it is checked and counted:
 * it is within the limits of one archive. Each file keeps the path under which it was sent: `charts/x-1.2.3.tgz/x/values.yaml`.
 * @param refuse called for packed charts that cannot be unpacked, which are then left out; by default, the first is thrown as by `unpack`
 */
export async function unpackNestedCharts(
  files: ReadonlyMap<string, SourceFile>,
  limits: FormatLimits,
  refuse?: (file: SourceFile, error: AppError) => void,
): Promise<ReadonlyMap<string, SourceFile>> {
  if (![...files.keys()].some(isPackedChart)) return files;
  const whole = new Map<string, SourceFile>();
  const unpacked: UnpackedTotals = { entries: 0, bytes: 0 };
  for (const { bytes } of files.values()) {
    unpacked.entries += 1;
    unpacked.bytes += bytes.length;
  }
  const open = async (path: string, file: SourceFile, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) throw tooDeep(file.path);
    for (const [inner, member] of await unpackArchive(file, limits, unpacked)) {
      const shown = `${file.path}/${inner}`;
      await add(`${withoutEnding(path)}/${withoutTop(inner)}`, { path: shown, bytes: member.bytes }, depth);
    }
  };
  const add = async (path: string, file: SourceFile, depth: number): Promise<void> => {
    if (!isPackedChart(path)) {
      whole.set(path, file);
      return;
    }
    await open(path, file, depth + 1).catch((error: unknown) => {
      if (!refuse || !(error instanceof AppError)) throw error;
      refuse(file, error);
    });
  };
  for (const [path, file] of files) await add(path, file, 0);
  return whole;
}

/**
 * The files of a chart, with the folders of its dependencies under the given names, as Helm packs them, rather than those of their
 * archives. A folder without a name keeps its own, and so do two siblings of one name.
 */
export function renameChartFolders(
  files: ReadonlyMap<string, SourceFile>,
  names: ReadonlyMap<string, string>,
): Map<string, SourceFile> {
  const folders = new Map<string, string>();
  const taken = new Set(names.keys());
  const rename = (folder: string): string => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const above = posix.dirname(folder);
    const parent = above.includes('/') ? `${rename(posix.dirname(above))}/charts` : above;
    const own = `${parent}/${posix.basename(folder)}`;
    const name = names.get(folder) ?? '';
    const wanted = `${parent}/${name}`;
    const free = CHART_NAME.test(name) && (wanted === own || !taken.has(wanted));
    const renamed = free ? wanted : own;
    taken.add(renamed);
    folders.set(folder, renamed);
    return renamed;
  };
  const toPath = (path: string): string => {
    const [folder] = DEPENDENCY_FOLDER.exec(path) ?? [];
    return folder === undefined ? path : rename(folder) + path.slice(folder.length);
  };
  return new Map([...files].map(([path, file]) => [toPath(path), file]));
}

/** Whether a file of a chart is a packed chart that it depends on. */
export function isPackedChart(path: string): boolean {
  return PACKED_CHART.test(path);
}

function withoutEnding(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

/** A packed chart has one top-level folder, named like the chart. */
function withoutTop(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

function tooDeep(path: string): InvalidRequest {
  const detail = `is a chart within more than ${MAX_DEPTH} others`;
  return new InvalidRequest(`${path} ${detail}`, { errors: [{ file: path, detail }] });
}
