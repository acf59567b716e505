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

const sources = fs
  .readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .map((file) => ({ file: path.join(root, file), text: fs.readFileSync(path.join(root, file), 'utf8') }));
const tasks = sources.filter(({ text }) => / = defineTask\(/.test(text));

it('the function of a task is exported by its module, where workers find it', () => {
  const defined = tasks.flatMap(({ file, text }) =>
    [...text.matchAll(/ = defineTask\(\s*import\.meta\.url,\s*\{\s*(\w+),?\s*\},?\s*\)/g)].map(([, name = '']) => ({
      file,
      name,
      exported: new RegExp(`^export (async )?function\\*? ${name}\\(`, 'm').test(text),
    })),
  );
  expect(defined).toHaveLength(tasks.flatMap(({ text }) => text.match(/ = defineTask\(/g) ?? []).length);
  expect(defined.filter(({ exported }) => !exported)).toEqual([]);
});

it('modules are imported by an address that is only known at run time in worker threads alone', () => {
  const importing = sources.filter(({ text }) => /\bawait import\((?!')|\breturn import\(|=> import\((?!')/.test(text));
  expect(importing.map(({ file }) => path.basename(file))).toEqual(['worker-entry.ts']);
  const loading = sources.filter(({ file }) =>
    importsOf(file).some((target) => /worker-entry|watchdog-thread|generator-entry/.test(target)),
  );
  expect(loading).toEqual([]);
});

it('what runs in worker threads loads neither TypeORM nor NestJS', () => {
  expect(tasks.length).toBeGreaterThan(20);
  const wrong: string[] = [];
  for (const { file: task } of tasks) {
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
