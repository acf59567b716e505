import { join } from 'node:path';
import base from '../../jest.config.mjs';

/** One worker, as each of the two of a test run: the first file starts the database server and loads the modules. */
export default {
  ...base,
  rootDir: join(import.meta.dirname, '../..'),
  id: 'boot',
  maxWorkers: 1,
  testMatch: ['<rootDir>/bench/boot/*.bench.ts'],
};
