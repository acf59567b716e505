// Compiles the benchmarks into dist/bench, with what they use of the sources and of the tests: fixtures too, which the product lacks.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'armature-swc-'));
try {
  const settings = JSON.parse(readFileSync('.swcrc', 'utf8'));
  const config = join(folder, 'swcrc.json');
  writeFileSync(config, JSON.stringify({ ...settings, exclude: ['\\.spec\\.ts$', '\\.d\\.m?ts$'] }));
  const options = ['-d', 'dist/bench', '--quiet', '--extensions', '.ts', '--no-swcrc', '--config-file', config];
  const { status } = spawnSync('swc', ['bench', 'src', 'test/support', ...options], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
