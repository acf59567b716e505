import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isProcessAlive } from '../../core/process-alive.js';

const PREFIX = 'armature-run-';
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);

/** The beginning of the names of this process's temporary folders. */
export const FOLDER_PREFIX = `${PREFIX}${process.pid}-`;

/** Removes the temporary folders of processes of this user that were killed; a container gives its process the same id each time. */
export async function removeAbandonedFolders(): Promise<void> {
  const startedAt = Date.now() - process.uptime() * 1000;
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    const maker = Number(NAME.exec(name)?.[1] ?? NaN);
    if (Number.isNaN(maker) || (maker !== process.pid && isProcessAlive(maker))) continue;
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => null);
    if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) continue;
    if (maker !== process.pid || found.mtimeMs < startedAt)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
