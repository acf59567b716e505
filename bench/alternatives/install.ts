import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Applications of other packages than the product's, in a folder of their own. */
export interface Alternatives {
  /** The program of one, for `startServer`. */
  find: (name: string) => string;
  remove: () => void;
}

const COMPILED = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs them with what their package.json names. Where BENCH_ALTERNATIVES names a folder, it is kept and used again. */
export function installAlternatives(names: string[]): Alternatives {
  const kept = process.env['BENCH_ALTERNATIVES'];
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'armature-alternatives-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  cpSync(join(COMPILED, 'support', 'server.js'), join(folder, 'support', 'server.js'));
  for (const name of names) {
    const own = join(folder, 'alternatives', name);
    cpSync(join(COMPILED, 'alternatives', name, 'main.js'), join(own, 'main.js'));
    cpSync(join('bench', 'alternatives', name, 'package.json'), join(own, 'package.json'));
    // Peers that their authors pinned to other versions than they use would end it.
    if (!existsSync(join(own, 'node_modules')))
      execFileSync('npm', ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--no-package-lock'], {
        ...{ cwd: own, stdio: ['ignore', 'ignore', 'inherit'] },
      });
  }
  return {
    find: (name) => pathToFileURL(join(folder, 'alternatives', name, 'main.js')).href,
    remove: () => {
      if (!kept) rmSync(folder, { recursive: true, force: true });
    },
  };
}
