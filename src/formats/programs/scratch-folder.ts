import { mkdir, mkdtemp, realpath, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { AppError, InvalidRequest } from '../../core/errors/app-error.js';
import { FOLDER_PREFIX, removeAbandonedFolders } from './abandoned-folders.js';

/** File system errors for names that conflict, or are invalid. */
const NAMING_ERRORS = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ']);

/** File system errors of a disk, or of the share of it that a user has, that is full. */
const FULL_ERRORS = new Set(['ENOSPC', 'EDQUOT']);
/** A program that failed while less was free may have failed for that. */
const NEARLY_FULL_BYTES = 1024 * 1024;

let removingAbandoned: Promise<void> | undefined;

/**
 * A private folder for one run of a program: `work` with the files, `home` and `tmp` for data of programs,
 * `empty` as a PATH without programs, and `root` for the root of an isolated run.
 */
export class ScratchFolder {
  private constructor(readonly root: string) {}

  /** Creates it, passes it to `use`, and always deletes it. Files are regular ones, by relative path with `/`. */
  static async withFiles<T>(
    files: ReadonlyMap<string, Uint8Array>,
    use: (folder: ScratchFolder) => Promise<T>,
  ): Promise<T> {
    await (removingAbandoned ??= removeAbandonedFolders());
    let folder: ScratchFolder | undefined;
    try {
      folder = new ScratchFolder(await realpath(await mkdtemp(join(tmpdir(), FOLDER_PREFIX))));
      for (const place of ['work', 'home', 'empty', 'tmp', 'root']) await mkdir(join(folder.root, place));
      await folder.fill(files);
      return await use(folder);
    } catch (error) {
      throw FULL_ERRORS.has((error as NodeJS.ErrnoException).code ?? '') ? diskFull(error) : error;
    } finally {
      if (folder) await rm(folder.root, { recursive: true, force: true });
    }
  }

  /** @throws AppError DISK_FULL when the disk is nearly full, after a program failed */
  async assertSpaceLeft(): Promise<void> {
    const { bavail, bsize } = await statfs(this.root);
    if (bavail * bsize < NEARLY_FULL_BYTES) throw diskFull();
  }

  /** The home folder of the program. */
  get home(): string {
    return join(this.root, 'home');
  }

  get work(): string {
    return join(this.root, 'work');
  }

  /** The output of a program, with files relative to the work folder; every other path of the scratch folder is removed. `root` is its path as the program saw it. */
  withoutPaths(text: string, root: string): string {
    return [root, this.root].reduce((words, seen) => {
      const [first = '', ...rest] = words.replaceAll(`${seen}/work/`, '').replaceAll(`${seen}/work`, '.').split(seen);
      return [first, ...rest.map((part) => part.replace(/^[\w./@+-]*/, ''))].join('…');
    }, text);
  }

  private async fill(files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const made = new Set<string>();
    for (const [path, bytes] of files) {
      const target = join(this.work, path);
      if (!target.startsWith(this.work + sep)) throw fileNameError(path, 'is a path outside the archive');
      const parent = dirname(target);
      try {
        if (!made.has(parent)) await mkdir(parent, { recursive: true });
        made.add(parent);
        await writeFile(target, bytes, { flag: 'wx', mode: 0o600 });
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (NAMING_ERRORS.has(code)) throw fileNameError(path, `cannot be written beside the other files (${code})`);
        throw error;
      }
    }
  }
}

function diskFull(cause?: unknown): AppError {
  return new AppError(503, 'DISK_FULL', 'No space left', 'The server has no space left for temporary files.', {
    remedy: 'Try again when the operator has given the server more space for temporary files.',
    headers: { 'Retry-After': '60' },
    cause,
  });
}

function fileNameError(path: string, detail: string): InvalidRequest {
  const remedy = 'Rename the file.';
  return new InvalidRequest(`${path.slice(0, 200)} ${detail}`, {
    errors: [{ file: path.slice(0, 200), detail, remedy }],
    remedy,
  });
}
