import { join } from 'node:path';
import { compiledPathOf, compileFolders, ROOT } from '../../scripts/typescript/compiler.mjs';
import { askTestRun, type SharedServer } from './test-run.js';

/** Lets Node load a program that is not below `src` or `test`. */
export const FROM_SOURCE = ['--import', join(ROOT, 'scripts/typescript/register.mjs'), '--no-warnings'];

/** Compiles what processes of their own run; once a test run. */
export function compilePrograms(): SharedServer<{ compiled: true }> {
  compileFolders('src', 'test');
  return { facts: { compiled: true }, stop: () => Promise.resolve() };
}

/** The file that Node runs for a program of `src` or `test`, such as `src/main.ts`. */
export async function compiledProgram(source: string): Promise<string> {
  await askTestRun('programs');
  return compiledPathOf(join(ROOT, source));
}
