import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from './find-executable.js';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'executables-'))));
afterAll(() => rm(folder, { recursive: true }));

it('finds a program by its path and by its name', () => {
  expect(findExecutable(process.execPath)).toBe(process.execPath);
  expect(findExecutable('sh')).toMatch(/^\/.*\/sh$/);
});

it('finds nothing where there is no file that can be executed', async () => {
  const plain = join(folder, 'plain');
  await writeFile(plain, '#!/bin/sh\n');
  await chmod(plain, 0o644);
  expect([plain, folder, join(folder, 'absent'), 'no-such-program-anywhere', ''].map(findExecutable)).toEqual(
    Array(5).fill(undefined),
  );
});
