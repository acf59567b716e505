// Builds the package: one file for `import`, one for `require`, and the declarations, which both share.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { generate } from './generate.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

await generate();
await rm(new URL('../dist', import.meta.url), { recursive: true, force: true });
for (const [format, outfile] of [
  ['esm', 'dist/index.mjs'],
  ['cjs', 'dist/index.js'],
])
  await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts'],
    outfile,
    format,
    bundle: true,
    platform: 'neutral',
    target: 'es2022',
    sourcemap: 'linked',
    logLevel: 'warning',
  });
const compiler = fileURLToPath(new URL('../../../node_modules/typescript-7/bin/tsc', import.meta.url));
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.json'], { cwd: root, stdio: 'inherit' });
await writeFile(new URL('../dist/index.d.mts', import.meta.url), "export * from './index.js';\n");
