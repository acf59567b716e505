import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/**
 * Finds a program by path, or by name in PATH.
 * @returns its path; undefined when this process cannot execute such a program
 */
export function findExecutable(program: string): string | undefined {
  if (program === '') return undefined;
  const folders = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => resolve(join(folder, program))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
