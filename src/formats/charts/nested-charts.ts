import { InvalidRequest } from '../../core/errors/app-error.js';
import { unpack } from '../archive.js';
import { type Unpacked } from '../archive-contents.js';
import { type FormatLimits } from '../limits.js';
import { type SourceFile } from '../source-file.js';

const NESTED = /^((?:.*\/)?charts\/[^/]+)\.tgz$/;
/** Charts within charts; real ones have two or three. */
const DEEPEST = 8;

/**
 * A chart whose packed dependencies (`charts/x-1.2.3.tgz`) are folders, at every depth, so that all of it has been looked at and counted.
 * Throws InvalidRequest as `unpack` does.
 */
export async function unpackedChart(
  files: ReadonlyMap<string, SourceFile>,
  limits: FormatLimits,
): Promise<ReadonlyMap<string, SourceFile>> {
  if (![...files.keys()].some((path) => NESTED.test(path))) return files;
  const whole = new Map<string, SourceFile>();
  const unpacked: Unpacked = { entries: 0, bytes: 0 };
  const add = async (path: string, file: SourceFile, depth: number): Promise<void> => {
    const [, folder] = NESTED.exec(path) ?? [];
    if (folder === undefined) {
      whole.set(path, file);
      return;
    }
    if (depth > DEEPEST) throw tooDeep(file.path);
    for (const [inner, member] of await unpack(file, limits, unpacked)) {
      const shown = `${file.path}/${inner}`;
      await add(`${folder}/${withoutTop(inner)}`, { path: shown, bytes: member.bytes }, depth + 1);
    }
  };
  for (const [path, file] of files) await add(path, file, 1);
  return whole;
}

/** A packed chart has one folder on top, named like the chart. */
function withoutTop(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

function tooDeep(path: string): InvalidRequest {
  const detail = `is a chart within more than ${DEEPEST} others`;
  return new InvalidRequest(`${path} ${detail}`, { errors: [{ file: path, detail }] });
}
