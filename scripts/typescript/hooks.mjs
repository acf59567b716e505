// Compiles what is written in TypeScript as the build does, by .swcrc, and keeps it: each file is compiled once for each of its contents,
// whatever number of processes and threads load it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';

const ROOT = dirname(dirname(import.meta.dirname));
const CACHE = join(ROOT, 'node_modules/.cache/armature-sources');
const require = createRequire(import.meta.url);
const settings = readFileSync(join(ROOT, '.swcrc'), 'utf8');
const { version } = require('@swc/core/package.json');

/** A module is imported by the name that it has when it is built, with `.js`. */
export function resolve(specifier, context, next) {
  const { parentURL } = context;
  if (/^\.\.?\/.*\.js$/.test(specifier) && parentURL && !parentURL.includes('/node_modules/')) {
    const source = new URL(`${specifier.slice(0, -'js'.length)}ts`, parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  const path = url.startsWith('file:') ? fileURLToPath(url) : undefined;
  if (!path?.startsWith(ROOT + sep) || !/\.m?ts$/.test(path) || path.includes('/node_modules/'))
    return next(url, context);
  return { source: loadSource(path), format: 'module', shortCircuit: true };
}

/** What was kept ends with the digest of what it was made of. */
function loadSource(path) {
  const text = readFileSync(path, 'utf8');
  const mark = `\n//# compiled=${createHash('sha1').update(version).update(settings).update(text).digest('hex')}\n`;
  const kept = join(CACHE, `${relative(ROOT, path)}.js`);
  try {
    const code = readFileSync(kept, 'utf8');
    if (code.endsWith(mark)) return code;
  } catch {
    // Not compiled yet.
  }
  const { code, map } = compile(text, path);
  const source = `${code}//# sourceMappingURL=${kept}.map${mark}`;
  keep(`${kept}.map`, map);
  keep(kept, source);
  return source;
}

function compile(text, path) {
  const { $schema: _, exclude: __, ...options } = JSON.parse(settings);
  return require('@swc/core').transformSync(text, { ...options, filename: path, swcrc: false, sourceMaps: true });
}

/** Others may read or write the same file at the same time. A folder that cannot be written to only costs time. */
function keep(path, text) {
  const draft = `${path}.${process.pid}.${threadId}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, text);
    renameSync(draft, path);
  } catch {
    // The next process compiles it again.
  }
}
