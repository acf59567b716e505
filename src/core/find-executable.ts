import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** The path of a program, given as a path or as a name in PATH; undefined when there is none that this process may execute. */
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
