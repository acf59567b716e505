// Builds before a start when the sources are newer than what was built; an image without sources or compiler just starts.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (path) => join(root, path);

/** What builds and tests make of other sources. */
const MADE = new Set(['generated', 'node_modules', 'dist']);

/** When a file or folder, or anything in it, last changed; a folder changes when a file of it is removed. */
function changedAt(path) {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  const names = readdirSync(path).filter((name) => !MADE.has(name));
  return names.reduce((latest, name) => Math.max(latest, changedAt(join(path, name))), own.mtimeMs);
}

/** The last step of the build writes this file; a build that failed has not. */
function builtAt() {
  const [program, lastStep] = [at('dist/src/main.js'), at('dist/playground/.key')];
  return existsSync(program) && existsSync(lastStep) ? statSync(lastStep).mtimeMs : null;
}

const sources = [
  'src',
  'clients/cli',
  'clients/typescript',
  'console',
  'docs/api/openapi.json',
  'scripts/build-pages.mjs',
  'scripts/build-server.mjs',
  'package-lock.json',
  'nest-cli.json',
  '.swcrc',
  'tsconfig.json',
  'tsconfig.build.json',
];
const built = builtAt();
const hasSources = existsSync(at('src/main.ts'));
const hasCompiler = existsSync(at('node_modules/@nestjs/cli'));
const isFresh = () => sources.every((path) => !existsSync(at(path)) || changedAt(at(path)) <= built);

if (built && !hasSources) console.log('Starting what was built: there are no sources here.');
else if (built && isFresh()) console.log('Starting what was built: no source is newer.');
else if (built && !hasCompiler)
  console.log('Starting what was built, though sources are newer: the compiler is not installed.');
else if (hasSources && hasCompiler) {
  console.log(built ? 'Building: a source is newer than what was built.' : 'Building: this has not been built yet.');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
} else {
  console.error('Nothing is built here, and it cannot be: run "npm ci" with development dependencies first.');
  process.exitCode = 1;
}
