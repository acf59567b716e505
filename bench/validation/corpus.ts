import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isObject, type JsonObject } from '../../src/core/json/json.js';

/** All objects in the YAML and JSON files below a folder, in an order that is always the same. */
export function objectsIn(folder: string): JsonObject[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort();
  return files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    return documents.flatMap((document) => {
      if ('errors' in document && document.errors.length > 0) return [];
      const value: unknown = 'toJS' in document ? document.toJS({ maxAliasCount: 100 }) : null;
      return isObject(value) ? [JSON.parse(JSON.stringify(value)) as JsonObject] : [];
    });
  });
}
