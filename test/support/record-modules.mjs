// Writes the path of each module that the main thread of a program loads to the file that MODULES_FILE names, one a line.
// Usage: node --import ./test/support/record-modules.mjs program.js
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const file = process.env['MODULES_FILE'];
const hooks = `
  import { appendFileSync } from 'node:fs';
  import { fileURLToPath } from 'node:url';
  let file;
  export const initialize = (data) => void (file = data.file);
  export function load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(file, fileURLToPath(url) + '\\n');
    return next(url, context);
  }`;

if (isMainThread && file) {
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: { file } });
  // Modules in CommonJS that others require pass no hook.
  const { cache } = createRequire(fileURLToPath(import.meta.url));
  process.on('exit', () => appendFileSync(file, Object.keys(cache).join('\n') + '\n'));
}
