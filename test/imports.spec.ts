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
