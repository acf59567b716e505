// Compiles what is written in TypeScript as the build does, by .swcrc, and keeps it: each file is compiled once for each of its contents,
// whatever number of processes and threads load it. What is kept lies as in the repository, so that Node can also run it as it is.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { threadId } from 'node:worker_threads';

export const ROOT = dirname(dirname(import.meta.dirname));
const CACHE = join(ROOT, 'node_modules/.cache/armature-sources');
const require = createRequire(import.meta.url);
const settings = readFileSync(join(ROOT, '.swcrc'), 'utf8');
const { version } = require('@swc/core/package.json');

/** Where the compiled file of a source is kept. */
export const compiledPathOf = (path) => join(CACHE, relative(ROOT, path).replace(/\.(m?)ts$/, '.$1js'));

/** The code of a source. What was kept ends with the digest of what it was made of. */
export function loadSource(path) {
  const text = readFileSync(path, 'utf8');
  const mark = `\n//# compiled=${createHash('sha1').update(version).update(settings).update(text).digest('hex')}\n`;
  const kept = compiledPathOf(path);
  try {
    const code = readFileSync(kept, 'utf8');
    if (code.endsWith(mark)) return code;
  } catch {
    // Not compiled yet.
  }
  const { code, map } = compile(text, path);
  const source = `${code}//# sourceMappingURL=${kept}.map${mark}`;
  keep(`${kept}.map`, (draft) => writeFileSync(draft, map));
  keep(kept, (draft) => writeFileSync(draft, source));
  return source;
}

/**
 * Compiles whole folders, without their tests, and puts the data files of `src` beside them, so that their programs run without hooks:
 * with them, each process looks up each of some thousand modules in a thread of its own.
 */
export function compileFolders(...folders) {
  keep(join(CACHE, 'package.json'), (draft) => copyFileSync(join(ROOT, 'package.json'), draft));
  for (const folder of folders)
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || /spec\.ts$|\.d\.m?ts$/.test(path)) continue;
      if (/\.m?ts$/.test(path)) loadSource(path);
      else keep(join(CACHE, relative(ROOT, path)), (draft) => copyFileSync(path, draft));
    }
}

function compile(text, path) {
  const { $schema: _, exclude: __, ...options } = JSON.parse(settings);
  return require('@swc/core').transformSync(text, { ...options, filename: path, swcrc: false, sourceMaps: true });
}

/** Others may read or write the same file at the same time. A folder that cannot be written to only costs time. */
function keep(path, write) {
  const draft = `${path}.${process.pid}.${threadId}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    write(draft);
    renameSync(draft, path);
  } catch {
    // The next process compiles it again.
  }
}
