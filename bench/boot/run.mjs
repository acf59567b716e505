// Runs test files that do nothing but boot, and reports how long that took; the first one only warms up.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

const LOADER = ['--import', './scripts/typescript/register.mjs', '--no-warnings'];

const folder = mkdtempSync(join(tmpdir(), 'armature-boot-'));
const file = join(folder, 'times');
const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
const before = load();
try {
  const { status } = spawnSync(
    process.execPath,
    [...LOADER, 'node_modules/jest/bin/jest.js', '-c', 'bench/boot/jest.config.mjs', '--maxWorkers=1'],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, BENCH_BOOT_FILE: file } },
  );
  if (status !== 0) throw new Error(`the test files ended with ${status}`);
  const files = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .slice(1);
  const middle = (of) => files.map(of).sort((a, b) => a - b)[Math.floor(files.length / 2)];
  const phases = {
    'load the modules': ({ load }) => load,
    'start the world': ({ start }) => start,
    'of which clone the database': ({ clone }) => clone,
    'boot in all': ({ load, start }) => load + start,
    'processor time of it': ({ cpu }) => cpu,
  };
  console.log(
    `\nBoot of a test file, ms: median and each of ${files.length}; load average ${before} before, ${load()} after\n`,
  );
  for (const [name, of] of Object.entries(phases)) {
    const each = files.map((times) => Math.round(of(times))).join(' / ');
    console.log(`${name.padEnd(28)}${String(Math.round(middle(of))).padStart(6)}   ${each}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
