// Declares the tests of every file and runs none: `node --import ./scripts/typescript/register.mjs test/support/declare-tests.mjs`.
// What is skipped where a program is absent is declared all the same, and must touch nothing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getState, resetState } from 'jest-circus';
import '../../node_modules/jest-light-runner/src/global-setup.js';

const files = ['src', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.(e2e-)?spec\.ts$/.test(name))
    .map((name) => join(folder, name)),
);
const failed = [];
let tests = 0;
for (const file of files) {
  resetState();
  try {
    await import(pathToFileURL(file));
    tests += countTests(getState().rootDescribeBlock);
  } catch (error) {
    failed.push(file);
    console.error(file, error);
  }
}
console.log(`${tests} tests of ${files.length} files are declared, ${failed.length} files fail`);
process.exit(failed.length > 0 || tests < files.length ? 1 : 0);

function countTests({ children }) {
  return children.reduce((sum, child) => sum + (child.type === 'test' ? 1 : countTests(child)), 0);
}
