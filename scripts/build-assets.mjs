// Copies the data files that the server reads beside its modules to where benchmarks are compiled; nest-cli.json names them for the build.
// Usage: node scripts/build-assets.mjs OUTPUT, the folder that the compiler writes to
import { cp, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, process.argv[2]);
const FOLDERS = ['src/registry/seed', 'src/performance/load', 'test/support'];

for (const folder of FOLDERS) {
  const filter = async (path) => (await stat(path)).isDirectory() || !path.endsWith('.ts');
  await cp(join(root, folder), join(out, folder), { recursive: true, filter });
}
