import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../make-folder.js';
import { hasSecret, type SettingFault } from './secret-files.js';

const GENERATED = ['JWT_SECRET', 'ENCRYPTION_KEY'] as const;

type Source = Record<string, string | undefined>;

/**
 * Fills in secrets that development may omit. Each is generated once and stored in `DATA_DIR/secrets.json` with mode
 * 0600, so that tokens and encrypted values survive a restart. A file that cannot be written is reported as a fault
 * of `DATA_DIR`.
 */
export function withDevelopmentSecrets(source: Source): { source: Source; faults: SettingFault[] } {
  const missing = GENERATED.filter(
    (name) => !hasSecret(source, name) && !(name === 'JWT_SECRET' && hasSecret(source, 'JWT_PRIVATE_KEY')),
  );
  if (source['NODE_ENV'] === 'production' || missing.length === 0) return { source, faults: [] };
  try {
    const kept = keepSecrets(path.resolve(source['DATA_DIR'] || './.data', 'secrets.json'), missing);
    return { source: { ...source, ...Object.fromEntries(missing.map((name) => [name, kept[name]])) }, faults: [] };
  } catch (error) {
    const message = `cannot store the generated secrets: ${(error as Error).message}`;
    return { source, faults: [{ name: 'DATA_DIR', message }] };
  }
}

function keepSecrets(file: string, missing: readonly string[]): Source {
  const kept = readSecrets(file);
  const fresh = missing.filter((name) => !kept[name]);
  for (const name of fresh) kept[name] = randomBytes(32).toString('hex');
  if (fresh.length > 0) {
    makeFolder(path.dirname(file));
    writeWhole(file, JSON.stringify(kept, null, 2));
  }
  return kept;
}

/** Writes a file atomically: a killed process or a full disk leaves the old content. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(draft, text, { mode: 0o600, flush: true });
    fs.renameSync(draft, file);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

/** Error messages of `JSON.parse` quote the text, which contains secrets here. */
function readSecrets(file: string): Source {
  if (!fs.existsSync(file)) return {};
  const text = fs.readFileSync(file, 'utf8');
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) return kept as Source;
  } catch {
    // Handled below, like a file that is not an object.
  }
  throw new Error(
    `${file} is not a JSON object. Restore it from a backup, or remove it; secrets encrypted with its keys are lost then`,
  );
}
