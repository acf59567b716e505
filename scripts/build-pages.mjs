// Bundles the pages that the server serves, each with all its files into a folder of dist, so that they need nothing from the internet.
// Usage: node scripts/build-pages.mjs [page …], all of them unless named
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PAGES = {
  reference: {
    title: 'API reference',
    sources: 'src/core/rest/openapi/reference/app',
    entryPoint: 'main.js',
  },
  playground: {
    title: 'GraphQL playground',
    sources: 'src/core/graphql/playground/app',
    entryPoint: 'main.jsx',
    workers: {
      editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
      json: 'monaco-editor/esm/vs/language/json/json.worker.js',
      graphql: 'monaco-graphql/esm/graphql.worker.js',
    },
  },
};

const settings = {
  absWorkingDir: root,
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
async function keyOfSources(folder) {
  const names = (await readdir(folder)).sort().map((name) => join(folder, name));
  const hash = createHash('sha256');
  for (const source of [fileURLToPath(import.meta.url), join(root, 'package-lock.json'), ...names])
    hash.update(await readFile(source)).update('\0');
  return hash.digest('hex');
}

/** The names of the files that an entry point was written to. */
function filesOf({ outputs }, entryPoint) {
  const [script, { cssBundle }] = Object.entries(outputs).find(([, output]) => output.entryPoint?.endsWith(entryPoint));
  return { script: basename(script), style: basename(cssBundle ?? '') };
}

async function bundle(folder, outdir, { entryPoint, workers = {} }) {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const built = await build({ ...settings, outdir, entryPoints: Object.values(workers) });
  const names = Object.entries(workers).map(([label, entry]) => [label, filesOf(built.metafile, entry).script]);
  const page = await build({
    ...settings,
    outdir,
    entryPoints: [join(folder, entryPoint)],
    splitting: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', WORKERS: JSON.stringify(Object.fromEntries(names)) },
  });
  const { script, style } = filesOf(page.metafile, entryPoint);
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  await writeFile(join(outdir, 'index.html'), html.replace('{{script}}', script).replace('{{style}}', style));
}

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PAGES)) {
  const page = PAGES[name];
  const [folder, outdir] = [join(root, page.sources), join(root, 'dist', name)];
  const keyFile = join(outdir, '.key');
  const key = await keyOfSources(folder);
  if ((await readFile(keyFile, 'utf8').catch(() => null)) === key) console.log(`The ${page.title} is up to date.`);
  else {
    const started = Date.now();
    await bundle(folder, outdir, page);
    console.log(`The ${page.title} was built in ${Date.now() - started} ms.`);
  }
  // Written anew each time: the last one is the last step of the build, and build-when-stale.mjs reads from it when that was.
  await writeFile(keyFile, key);
}
