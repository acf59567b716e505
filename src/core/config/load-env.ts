import fs from 'node:fs';
import process from 'node:process';
import { withDevelopmentSecrets } from './development-secrets.js';
import { Env } from './env.js';
import type { SettingFault } from './secret-files.js';

/** Adds the settings of the file .env to those of the environment, which win. @returns what is wrong with the file */
export function loadDotEnv(): SettingFault[] {
  try {
    if (fs.existsSync('.env')) process.loadEnvFile('.env');
    return [];
  } catch (error) {
    return [{ name: '.env', message: `cannot be read: ${(error as Error).message}` }];
  }
}

/** The settings of this process. @throws InvalidEnvironment with all that is wrong */
export function loadEnv(found = loadDotEnv()): Env {
  const { source, faults } = withDevelopmentSecrets(process.env);
  return Env.parse(source, [...found, ...faults]);
}
