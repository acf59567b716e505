import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { envVariables } from '../src/core/config/env.js';

const ROOT = path.resolve(import.meta.dirname, '..');

interface Entry {
  name: string;
  value: string;
  /** What stands in the comments above it. */
  explanation: string;
}

function readExample(): Entry[] {
  const entries: Entry[] = [];
  let explanation: string[] = [];
  for (const line of readFileSync(path.join(ROOT, '.env.example'), 'utf8').split('\n')) {
    const [, name, value] = /^#?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      entries.push({ name, value: value ?? '', explanation: explanation.join(' ') });
      explanation = [];
    } else if (line.startsWith('# ')) explanation.push(line.slice(2));
    else explanation = [];
  }
  return entries;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.endsWith(path.join('config', 'env.ts')),
    )
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
}

describe('.env.example', () => {
  const entries = readExample();
  const schemas = Object.entries(envVariables);

  it('names every variable that the server reads, and no other, in the same words once', () => {
    expect(entries.map(({ name }) => name).sort()).toEqual(schemas.map(([name]) => name).sort());
  });

  it('explains each of them', () => {
    expect(entries.filter(({ explanation }) => explanation.length < 15).map(({ name }) => name)).toEqual([]);
  });

  it.each(schemas)('shows the default of %s', (name, schema) => {
    const { value } = entries.find((entry) => entry.name === name) ?? { value: 'absent' };
    const byDefault: unknown = schema.parse(undefined);
    const isNone = byDefault === undefined || (Array.isArray(byDefault) && byDefault.length === 0);
    if (isNone) expect(value).toBe('');
    else expect(schema.parse(value)).toEqual(byDefault);
  });

  it('says of a variable that it is not used yet only while that is so', () => {
    const code = sources(path.join(ROOT, 'src')).join('\n');
    const claims = entries.filter(({ explanation }) => explanation.includes('Not used yet'));
    expect(claims.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });
});
