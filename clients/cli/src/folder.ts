import { once } from 'node:events';
import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import systemPaths, { join, type PlatformPath, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Failure } from './failure.js';

const MOST_BYTES = 200_000_000;
const MOST_FILES = 20_000;
/** What version control and editors keep beside the content. */
const LEFT_OUT = new Set(['.git', '.hg', '.svn', 'node_modules', '.DS_Store']);

/** A folder as a tar.gz archive; links are packed as what they point to, which has to be in the folder. */
export async function packFolder(folder: string): Promise<Buffer> {
  const { pack } = await import('tar-stream');
  const archive = pack();
  const chunks: Buffer[] = [];
  archive.on('data', (chunk) => chunks.push(chunk as Buffer));
  const root = await realpath(folder);
  let size = 0;
  let files = 0;
  for await (const path of filesOf(root)) {
    const content = await readFile(path);
    size += content.length;
    files += 1;
    if (size > MOST_BYTES || files > MOST_FILES)
      throw new Failure(
        `${folder} has more than ${MOST_FILES} files, or more than ${MOST_BYTES / 1e6} MB`,
        'Name the folder of the design itself.',
      );
    archive.entry({ name: relative(root, path).split(sep).join('/'), mode: 0o644 }, content);
  }
  if (files === 0)
    throw new Failure(`${folder} is an empty folder`, 'Name the folder of a chart, a Kustomization or manifests.');
  archive.finalize();
  await once(archive, 'end');
  return gzipSync(Buffer.concat(chunks));
}

async function* filesOf(root: string, folder = root): AsyncGenerator<string> {
  for (const name of (await readdir(folder)).sort()) {
    if (LEFT_OUT.has(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path);
    if (found.isSymbolicLink()) yield* linked(root, path);
    else if (found.isDirectory()) yield* filesOf(root, path);
    else if (found.isFile()) yield path;
  }
}

/** A link to a file of the folder. @throws Failure for one that leads out of it, or to a folder, which could hold itself */
async function* linked(root: string, path: string): AsyncGenerator<string> {
  const target = await realpath(path).catch(() => '');
  if (!isWithin(root, target))
    throw new Failure(`${path} is a link to ${await readlink(path)}, outside of the folder`, 'Copy what it points to.');
  if ((await lstat(target)).isDirectory())
    throw new Failure(`${path} is a link to a folder`, 'Copy the folder in its place.');
  yield path;
}

/** Whether a path is in a folder, or the folder itself. On Windows the way to another drive is absolute. */
export function isWithin(folder: string, path: string, paths: PlatformPath = systemPaths): boolean {
  const way = paths.relative(paths.resolve(folder), paths.resolve(path));
  return path !== '' && way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way);
}
