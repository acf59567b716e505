import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Json } from './support/person.js';

const ROOT = path.resolve(import.meta.dirname, '..');
const FILES = ['package.json', 'package-lock.json', 'docs/dependencies.md', 'scripts/check-dependencies.mjs'];

const check = (root: string) => spawnSync(process.execPath, ['scripts/check-dependencies.mjs'], { cwd: root, encoding: 'utf8', env: {} }); // prettier-ignore

/** What the check says of this project with another lock file. */
function checkWith(change: (packages: Record<string, Json>) => void): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'dependencies-'));
  try {
    for (const folder of ['docs', 'scripts']) mkdirSync(path.join(copy, folder));
    for (const file of FILES) cpSync(path.join(ROOT, file), path.join(copy, file));
    const lock = JSON.parse(readFileSync(path.join(copy, 'package-lock.json'), 'utf8'));
    change(lock.packages as Record<string, Json>);
    writeFileSync(path.join(copy, 'package-lock.json'), JSON.stringify(lock));
    const { status, stderr } = check(copy);
    expect(status).toBe(1);
    return stderr;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

describe('The dependencies', () => {
  it('are those that were reviewed, under licences that are allowed', () => {
    expect(check(ROOT)).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['a package that is new in production', { license: 'MIT' }, 'docs/dependencies.md is not what'],
    ['a licence that is not allowed', { license: 'GPL-3.0-only' }, 'new-one 1.0.0 has the licence GPL-3.0-only'],
    ['no licence', {}, 'has the licence unknown'],
    ['an install script', { license: 'MIT', hasInstallScript: true }, 'has an install script'],
    ['the address of a registry', { license: 'MIT', resolved: 'https://example.org/a.tgz' }, 'names a registry'],
  ])('do not pass with %s', (_, entry, fault) => {
    const said = checkWith((packages) => (packages['node_modules/new-one'] = { version: '1.0.0', ...entry }));
    expect(said).toContain(fault);
  });

  it('do not pass with a package that reports who installs it', () => {
    expect(checkWith((all) => (all['node_modules/@scarf/scarf'] = { version: '1.4.0', license: 'Apache-2.0' }))).toContain('@scarf/scarf 1.4.0 reports'); // prettier-ignore
  });

  it('run no script when they are installed', () => {
    expect(readFileSync(path.join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    expect(Object.keys(scripts).filter((name) => /^(pre|post)(?!tier)/.test(name))).toEqual([]);
  });
});
