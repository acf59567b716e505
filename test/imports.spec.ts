import fs from 'node:fs';
import path from 'node:path';
import { ORDER } from '../scripts/structure.mjs';

const root = path.resolve('src');
const folderOf = (file: string): string => {
  const [first = ''] = path.relative(root, file).split(path.sep);
  return first.endsWith('.ts') ? 'app' : first;
};

it('every folder imports only from folders to its left', () => {
  const files = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(100);
  const wrong: string[] = [];
  for (const file of files.map((each) => path.join(root, each))) {
    const from = folderOf(file);
    expect({ file, known: ORDER.includes(from) }).toEqual({ file, known: true });
    for (const [, target] of fs.readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const to = folderOf(path.resolve(path.dirname(file), target ?? ''));
      if (ORDER.indexOf(to) > ORDER.indexOf(from)) wrong.push(`${path.relative(root, file)} imports from ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** What a module loads, types left out: packages, and paths of our own. */
function importsOf(file: string): string[] {
  return [...fs.readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )([^;]*?)from '([^']+)';/gm)]
    .filter(([, names = '']) => !/^\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(names))
    .map(([, , target = '']) => (target.startsWith('.') ? path.resolve(path.dirname(file), target) : target));
}

it('what runs in worker threads loads neither TypeORM nor NestJS', () => {
  const files = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => path.join(root, file));
  const tasks = files.filter(
    (file) =>
      file.endsWith('.ts') &&
      /module: import\.meta\.url, name:|^\s*module: import\.meta\.url,$/m.test(fs.readFileSync(file, 'utf8')),
  );
  expect(tasks.length).toBeGreaterThan(20);
  const wrong: string[] = [];
  for (const task of tasks) {
    const loaded = new Set([task]);
    for (const file of loaded)
      for (const target of importsOf(file)) {
        if (/^(typeorm$|@nestjs\/)/.test(target)) wrong.push(`${task}: ${file} imports ${target}`);
        const source = target.replace(/\.js$/, '.ts');
        if (path.isAbsolute(target) && fs.existsSync(source)) loaded.add(source);
      }
  }
  expect(wrong).toEqual([]);
});
