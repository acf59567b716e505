// Bundles the command line with all that it needs into one file, which runs wherever Node.js does.
import { build } from 'esbuild';
import { appendFile, chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
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
const licences = await listLicences(root, Object.keys(metafile.inputs));
await appendFile(outfile, `/*\n${licences.replaceAll('*/', '* /')}*/\n`);
await chmod(outfile, 0o755);
