// Bundles the command line with all that it needs into one file, which runs wherever Node.js does.
import { build } from 'esbuild';
import { appendFile, chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
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

await generate({ types: false });
await mkdir(dirname(outfile), { recursive: true });
const { metafile } = await build({
  metafile: true,
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // A file without an extension is CommonJS in one folder and an ECMAScript module in another: it runs as either.
  format: 'iife',
  // The library as it stands, so that nothing has to be built before.
  alias: { '@armature/client': join(root, '../typescript/src/index.ts') },
  define: { ARMATURE_VERSION: JSON.stringify(version) },
  minify: true,
  // Names of classes are those of errors.
  keepNames: true,
  legalComments: 'none',
  banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  logLevel: 'warning',
});
await appendFile(outfile, `/*\n${await listLicences(Object.keys(metafile.inputs))}*/\n`);
await chmod(outfile, 0o755);

/** The licences of the packages that are in the file, which have to go with it. */
async function listLicences(inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.split(sep).join('/'))?.[1] ?? []),
  );
  const notices = [...folders].sort().map(async (folder) => {
    const files = await readdir(join(root, folder));
    const own = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const file = files.find((name) => /^licen[cs]e(\.|$)/i.test(name));
    if (!file) throw new Error(`${own.name} has no file of its licence`);
    const text = await readFile(join(root, folder, file), 'utf8');
    return `${own.name} ${own.version}, ${own.license}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(notices)).join('\n').replaceAll('*/', '* /');
}
