// Bundles the GraphQL playground with its workers into dist/playground, so that it needs nothing from the internet.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const app = join(root, 'src/core/graphql/playground/app');
const out = join(root, 'dist/playground');
const keyFile = join(out, '.key');

const WORKERS = {
  editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
  json: 'monaco-editor/esm/vs/language/json/json.worker.js',
  graphql: 'monaco-graphql/esm/graphql.worker.js',
};

const settings = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  minify: true,
  metafile: true,
  format: 'esm',
  target: 'es2022',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.ttf': 'file', '.woff': 'file', '.woff2': 'file' },
  legalComments: 'linked',
  logLevel: 'warning',
};

/** What is bundled, and of which versions: the same key means the same bundle. */
async function keyOfSources() {
  const sources = [
    fileURLToPath(import.meta.url),
    join(root, 'package-lock.json'),
    ...['main.jsx', 'playground.css', 'index.html'].map((name) => join(app, name)),
  ];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(await readFile(source)).update('\0');
  return hash.digest('hex');
}

/** The names of the files that an entry point was written to. */
function filesOf({ outputs }, entryPoint) {
  const [script, { cssBundle }] = Object.entries(outputs).find(([, output]) => output.entryPoint?.endsWith(entryPoint));
  return { script: basename(script), style: basename(cssBundle ?? '') };
}

async function bundle() {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const workers = await build({ ...settings, entryPoints: Object.values(WORKERS) });
  const names = Object.entries(WORKERS).map(([label, entry]) => [label, filesOf(workers.metafile, entry).script]);
  const page = await build({
    ...settings,
    entryPoints: [join(app, 'main.jsx')],
    splitting: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', WORKERS: JSON.stringify(Object.fromEntries(names)) },
  });
  const { script, style } = filesOf(page.metafile, 'main.jsx');
  const html = await readFile(join(app, 'index.html'), 'utf8');
  await writeFile(join(out, 'index.html'), html.replace('{{script}}', script).replace('{{style}}', style));
}

const key = await keyOfSources();
if ((await readFile(keyFile, 'utf8').catch(() => null)) === key) console.log('The playground is up to date.');
else {
  const started = Date.now();
  await bundle();
  console.log(`The playground was built in ${Date.now() - started} ms.`);
}
// Written anew each time: it is the last step of the build, and build-when-stale.mjs reads from it when that was.
await writeFile(keyFile, key);
