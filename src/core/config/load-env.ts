import fs from 'node:fs';
import process from 'node:process';
import { withDevelopmentSecrets } from './development-secrets.js';
import { Env } from './env.js';
import type { SettingFault } from './secret-files.js';

/** Adds the settings of the file .env; environment variables take precedence. @returns faults of the file */
export function loadDotEnv(): SettingFault[] {
  try {
    if (fs.existsSync('.env')) process.loadEnvFile('.env');
    return [];
  } catch (error) {
    return [{ name: '.env', message: `cannot be read: ${(error as Error).message}` }];
  }
}

/** Loads the settings of this process. @throws InvalidEnvironment listing all faults */
export function loadEnv(found = loadDotEnv()): Env {
  const { source, faults } = withDevelopmentSecrets(process.env);
  return Env.parse(source, [...found, ...faults]);
}
