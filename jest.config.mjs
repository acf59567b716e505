/** Test files run in threads of one Node process: what they import is loaded once a thread, not once a file. */
export default {
  rootDir: '.',
  globalSetup: './test/support/global-setup.mjs',
  globalTeardown: './test/support/global-teardown.mjs',
  testMatch: [
    '<rootDir>/clients/*/src/**/*.spec.ts',
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/test/**/*.spec.ts',
    '<rootDir>/test/**/*.e2e-spec.ts',
  ],
  runner: ['jest-light-runner', { runtime: 'worker_threads' }],
  testSequencer: './test/support/longest-first.mjs',
  setupFilesAfterEnv: ['./test/support/time-limit.ts', './test/support/speed-patches.ts'],
  // Files wait for clusters, browsers and time limits for some 40 % of their time: three at a time keep two cores busy.
  maxWorkers: 3,
};
