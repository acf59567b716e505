import fs from 'node:fs';

/** Settings that hold a secret; each can be read from a file named by `<NAME>_FILE`. */
export const SECRET_VARIABLES = [
  'DATABASE_URL',
  'DATABASE_SERVICE_URL',
  'ADMIN_PASSWORD',
  'JWT_SECRET',
  'JWT_PRIVATE_KEY',
  'JWT_PREVIOUS_KEYS',
  'OIDC_CLIENT_SECRET',
  'ENCRYPTION_KEY',
  'ENCRYPTION_PREVIOUS_KEYS',
  'SMTP_URL',
  'REDIS_URL',
  'METRICS_TOKEN',
] as const;

/** Secrets are smaller; the limit avoids reading a large file by mistake. */
const MAX_SECRET_BYTES = 64 * 1024;

export interface SettingFault {
  name: string;
  message: string;
}

type Source = Record<string, string | undefined>;

/** Reports whether a secret is set, as a value or as a file. */
export const hasSecret = (source: Source, name: string): boolean => Boolean(source[name] || source[`${name}_FILE`]);

/** Replaces `<NAME>_FILE` settings by the contents of their files, without the trailing line break that editors add. */
export function resolveSecretFiles(source: Source): { source: Source; faults: SettingFault[] } {
  const read: Source = { ...source };
  const faults: SettingFault[] = [];
  for (const name of SECRET_VARIABLES) {
    const variable = `${name}_FILE`;
    const file = source[variable];
    if (!file) continue;
    if (source[name]) faults.push({ name: variable, message: `is given together with ${name}: set one of the two` });
    else
      try {
        read[name] = readSecretFile(file);
      } catch (error) {
        faults.push({ name: variable, message: `cannot be read: ${(error as Error).message}` });
      }
  }
  return { source: read, faults };
}

function readSecretFile(file: string): string {
  const { size } = fs.statSync(file);
  if (size > MAX_SECRET_BYTES) throw new Error(`${file} has more than ${MAX_SECRET_BYTES} bytes`);
  const content = fs.readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (content === '') throw new Error(`${file} is empty`);
  return content;
}
