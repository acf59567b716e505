import { join } from 'node:path';
import base from '../../jest.config.mjs';

const { maxWorkers: _workers, workerIdleMemoryLimit: _limit, testTimeout, ...project } = base;

/** The same file several times, as if it were several files of one run; the first starts the server and fills the cache. */
const file = (number) => ({
  ...project,
  rootDir: join(import.meta.dirname, '../..'),
  id: 'boot',
  displayName: `file ${number}`,
  testMatch: ['<rootDir>/bench/boot/*.bench.ts'],
});

export default { maxWorkers: 1, testTimeout: 4 * testTimeout, projects: [0, 1, 2, 3, 4, 5].map(file) };
