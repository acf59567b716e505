import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { hasSecret } from './secret-files.js';

const GENERATED = ['JWT_SECRET', 'ENCRYPTION_KEY'] as const;

/**
 * Fills in the secrets that development may leave out: each is made once and kept in `DATA_DIR/secrets.json`, readable
 * by its owner only, so that tokens and sealed values survive a restart.
 */
export function withDevelopmentSecrets(source: Record<string, string | undefined>): Record<string, string | undefined> {
  const missing = GENERATED.filter(
    (name) => !hasSecret(source, name) && !(name === 'JWT_SECRET' && hasSecret(source, 'JWT_PRIVATE_KEY')),
  );
  if (source['NODE_ENV'] === 'production' || missing.length === 0) return source;
  const file = path.resolve(source['DATA_DIR'] || './.data', 'secrets.json');
  const kept = readSecrets(file);
  const fresh = missing.filter((name) => !kept[name]);
  for (const name of fresh) kept[name] = randomBytes(32).toString('hex');
  if (fresh.length > 0) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify(kept, null, 2), { mode: 0o600 });
  }
  return { ...source, ...Object.fromEntries(missing.map((name) => [name, kept[name]])) };
}

function readSecrets(file: string): Record<string, string> {
  if (!fs.existsSync(file)) return {};
  return JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, string>;
}
