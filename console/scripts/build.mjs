// Bundles the console: one page, its style, and a script for each screen, all with a hash of their content in their names.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '../../clients/typescript/scripts/generate.mjs';
import { listLicences } from '../../scripts/list-licences.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outdir = resolve(process.argv[2] ?? join(root, 'dist'));

await generate({ types: false });
await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  metafile: true,
  absWorkingDir: root,
  entryPoints: ['src/main.tsx', 'src/style.css', 'src/icon.svg'],
  loader: { '.svg': 'copy' },
  outdir,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  // The library as it stands, so that nothing has to be built before.
  alias: { '@armature/client': join(root, '../clients/typescript/src/index.ts') },
  define: { 'process.env.NODE_ENV': '"production"' },
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
});
await mkdir(outdir, { recursive: true });
const notices = `The console contains these packages.\n\n${await listLicences(root, Object.keys(metafile.inputs))}`;
const licences = `licences-${createHash('sha256').update(notices).digest('hex').slice(0, 8).toUpperCase()}.txt`;
await writeFile(join(outdir, licences), notices);

const nameOf = (entryPoint) =>
  basename(Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entryPoint)[0]);
const html = await readFile(join(root, 'src/index.html'), 'utf8');
const names = {
  script: nameOf('src/main.tsx'),
  style: nameOf('src/style.css'),
  icon: nameOf('src/icon.svg'),
  licences,
};
await writeFile(
  join(outdir, 'index.html'),
  html.replace(/{{(script|style|icon|licences)}}/g, (_, name) => names[name]),
);
