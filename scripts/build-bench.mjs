// Compiles the benchmarks into dist/bench, with what they use of the sources and of the tests: fixtures too, which the product lacks, and
// the data files that are read beside the modules (nest-cli.json names those of the product).
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OUT = 'dist/bench';
const DATA = [
  'src/database/sql',
  'src/core/rest/pages',
  'src/events/notifications/page',
  'src/registry/seed',
  'src/performance/load',
  'test/support',
];

const folder = mkdtempSync(join(tmpdir(), 'armature-swc-'));
try {
  const settings = JSON.parse(readFileSync('.swcrc', 'utf8'));
  const config = join(folder, 'swcrc.json');
  writeFileSync(config, JSON.stringify({ ...settings, exclude: ['\\.spec\\.ts$', '\\.d\\.m?ts$'] }));
  // What was compiled of files that are gone must not be run.
  rmSync(OUT, { recursive: true, force: true });
  const options = ['-d', OUT, '--quiet', '--extensions', '.ts', '--no-swcrc', '--config-file', config];
  const { status } = spawnSync('swc', ['bench', 'src', 'test/support', ...options], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
  const isData = (path) => statSync(path).isDirectory() || !path.endsWith('.ts');
  for (const path of DATA) cpSync(path, join(OUT, path), { recursive: true, filter: isData });
} finally {
  rmSync(folder, { recursive: true });
}
