/** Test files run in two Node processes as the product would: what they import is loaded once a process, not once a file. */
export default {
  rootDir: '.',
  globalSetup: './test/support/global-setup.mjs',
  globalTeardown: './test/support/global-teardown.mjs',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts', '<rootDir>/test/**/*.e2e-spec.ts'],
  runner: ['jest-light-runner', { runtime: 'child_process' }],
  setupFilesAfterEnv: ['./test/support/time-limit.ts'],
  maxWorkers: 2,
};
