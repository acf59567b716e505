import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

it('the list of long test files names files that are there, the longest first', () => {
  const list = JSON.parse(readFileSync(join(import.meta.dirname, 'long-files.json'), 'utf8')) as Record<string, number>;
  expect(Object.keys(list).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(Object.values(list)).toEqual(Object.values(list).sort((a, b) => b - a));
});
