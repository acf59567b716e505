/** Of the first administrator. */
export const PASSWORD = 'correct horse battery';

/** Settings of every server under test. */
export const SETTINGS = {
  NODE_ENV: 'test',
  LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
  LOG_FORMAT: 'json',
  RATE_LIMIT: 'off',
  JWT_SECRET: 'a secret for tests that is long enough',
  ENCRYPTION_KEY: '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
  ADMIN_EMAIL: 'admin@example.org',
  ADMIN_PASSWORD: PASSWORD,
  DATABASE_POOL: '5',
  // A watch of the cluster that tests share would read all that they do there.
  CLUSTER_WATCH: 'off',
};
