// Bundles the command line with all that it needs into one file, which runs wherever Node.js does.
import { build } from 'esbuild';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listLicences } from '../../../scripts/list-licences.mjs';
import { generate } from '../../typescript/scripts/generate.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(await readFile(join(root, '../../package.json'), 'utf8'));
const outfile = resolve(process.argv[2] ?? join(root, 'dist/armature'));

/** Only modules of Node.js are asked for at run time. */
const REQUIRE = `var require = (name) => {
  const module = process.getBuiltinModule(name);
  if (!module) throw new Error('This Node.js has no module ' + name + '.');
  return module;
};`;

/** What each part is bundled with. */
const options = {
  metafile: true,
  write: false,
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // The library as it stands, so that nothing has to be built before.
  alias: { '@armature/client': join(root, '../typescript/src/index.ts') },
  define: { ARMATURE_VERSION: JSON.stringify(version) },
  minify: true,
  // Names of classes are those of errors.
  keepNames: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** The files that are in the program. */
const inputs = new Set();
/** What is imported only when it is needed, by its name: a text until then, for Node.js reads through all code at every start. */
const parts = {};
const PART = 'part';

const partsAsTexts = {
  name: 'parts-as-texts',
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /^[^:]+$/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === PART) return undefined;
      const found = await find(path, { kind, importer, resolveDir, pluginData: PART });
      return { ...found, namespace: PART };
    });
    onLoad({ filter: /./, namespace: PART }, async ({ path }) => {
      const name = relative(root, path).split(sep).join('/');
      parts[name] ??= await bundle(path, 'cjs');
      return { contents: `parts(${JSON.stringify(name)}, module, exports);` };
    });
  },
};

const LOAD = `var parts = (name, module, exports) =>
  Function('module', 'exports', 'require', 'parts', parts[name] + '//# sourceURL=armature:' + name)(module, exports, require, parts);`;

async function bundle(entry, format) {
  const { outputFiles, metafile } = await build({ ...options, entryPoints: [entry], format, plugins: [partsAsTexts] });
  for (const input of Object.keys(metafile.inputs)) if (!input.startsWith(`${PART}:`)) inputs.add(input);
  return outputFiles[0].text;
}

await generate({ types: false });
// A file without an extension is CommonJS in one folder and an ECMAScript module in another: it runs as either.
const main = await bundle('src/main.ts', 'iife');
const texts = Object.entries(parts).map(([name, text]) => `parts[${JSON.stringify(name)}] = ${JSON.stringify(text)};`);
const licences = `/*\n${(await listLicences(root, [...inputs])).replaceAll('*/', '* /')}*/`;
await mkdir(dirname(outfile), { recursive: true });
await writeFile(outfile, ['#!/usr/bin/env node', REQUIRE, LOAD, ...texts, main + licences, ''].join('\n'));
await chmod(outfile, 0o755);
