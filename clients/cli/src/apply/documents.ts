import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Failure } from '../failure.js';
import { isWithin } from '../folder.js';
import type { Json } from '../records.js';
import type { Terminal } from '../terminal.js';
import { ALIAS_FAULT, faultAt } from '../yaml.js';

export const API_VERSION = 'armature.dev/v1';

/** A record as a file describes it. */
export interface Document {
  kind: string;
  metadata: { name: string; organization?: string; workspace?: string; environment?: string };
  spec: Json;
  /** The file and the line where it begins. */
  place: string;
}

/** What is wrong with a document. */
export class Fault extends Error {}

export interface Documents {
  all: Document[];
  /** The folder that files of secrets have to be in; null for standard input. */
  folder: string | null;
}

const METADATA = new Set(['name', 'organization', 'workspace', 'environment']);
const MOST_FILES = 10_000;
const MOST_BYTES = 50_000_000;

/** All documents of files, folders and standard input. @throws Failure naming every document that is none */
export async function readDocuments(terminal: Terminal, path: string, kinds: readonly string[]): Promise<Documents> {
  const { LineCounter, parseAllDocuments } = await import('yaml');
  const { files, folder } = await readFiles(terminal, path);
  const faults: string[] = [];
  const all: Document[] = [];
  for (const { name, text } of files) {
    const lines = new LineCounter();
    for (const parsed of parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })) {
      const line = lines.linePos(parsed.contents?.range?.[0] ?? parsed.range[0]).line;
      const place = `${name}:${line}`;
      const [error] = parsed.errors;
      if (error) {
        faults.push(faultAt(name, lines.linePos(error.pos[0]).line, error.code));
        continue;
      }
      let value: unknown;
      try {
        value = parsed.toJS({ maxAliasCount: 100 });
      } catch {
        faults.push(`${place}: ${ALIAS_FAULT}`);
        continue;
      }
      if (value === null || value === undefined) continue;
      const found = checkDocument(value, place, kinds);
      if (Array.isArray(found)) faults.push(...found.map((fault) => `${place}: ${fault}`));
      else all.push(found);
    }
  }
  if (faults.length > 0) throw new Failure('what was read has faults', 'Correct them; nothing was changed.', 1, faults);
  if (all.length === 0)
    throw new Failure(
      `${path} has no documents`,
      `Write documents of apiVersion ${API_VERSION}, as "armature export --all" does.`,
    );
  return { all, folder };
}

interface TextFile {
  name: string;
  text: string;
}

async function readFiles(terminal: Terminal, path: string): Promise<{ files: TextFile[]; folder: string | null }> {
  if (path === '-')
    return { files: [{ name: 'standard input', text: (await terminal.readInput()).toString('utf8') }], folder: null };
  const isFolder = (await stat(path)).isDirectory();
  const paths = isFolder ? await listFiles(path, await realpath(path)) : [path];
  let size = 0;
  const files: TextFile[] = [];
  for (const file of paths) {
    const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
    size += text.length;
    if (size > MOST_BYTES)
      throw new Failure(`${path} has more than ${MOST_BYTES / 1e6} MB`, 'Apply its folders one by one.');
    files.push({ name: isFolder ? relative('', file) || file : file, text });
  }
  return { files, folder: await realpath(isFolder ? path : dirname(path)) };
}

/** YAML and JSON files of a folder and its folders, by name, each once. What is hidden is left out. */
async function listFiles(
  folder: string,
  root: string,
  found: string[] = [],
  seen = new Set<string>([root]),
): Promise<string[]> {
  for (const name of (await readdir(folder)).sort()) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    const target = await realpath(path).catch(() => '');
    const is = target === '' ? null : await stat(target);
    // What designs are made of lies beside the documents, in a folder that has none.
    if (is && !(is.isDirectory() ? name !== 'sources' : is.isFile() && /\.(ya?ml|json)$/i.test(name))) continue;
    // What is not read is as if it were not in the files, and would be deleted by --prune.
    if (!isWithin(root, target))
      throw new Failure(
        `${path} is a link to ${await readlink(path)}, which is not in the folder`,
        'Copy what it points to.',
      );
    if (seen.has(target)) continue;
    seen.add(target);
    if (is?.isDirectory()) await listFiles(path, root, found, seen);
    else found.push(path);
    if (found.length > MOST_FILES)
      throw new Failure(`${folder} has more than ${MOST_FILES} files`, 'Apply its folders one by one.');
  }
  return found;
}

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The document, or what is wrong with it. */
function checkDocument(value: unknown, place: string, kinds: readonly string[]): Document | string[] {
  if (!isMap(value)) return ['a document is a map of apiVersion, kind, metadata and spec'];
  const { apiVersion, kind, metadata = {}, spec = {}, ...rest } = value;
  const faults = Object.keys(rest).map((name) => `${name} is unknown`);
  if (apiVersion !== API_VERSION) faults.push(`apiVersion must be ${API_VERSION}`);
  if (typeof kind !== 'string' || !kinds.includes(kind)) faults.push(`kind must be one of ${kinds.join(', ')}`);
  if (!isMap(spec)) faults.push('spec must be a map');
  if (!isMap(metadata)) faults.push('metadata must be a map');
  else {
    for (const [name, text] of Object.entries(metadata))
      if (!METADATA.has(name)) faults.push(`metadata.${name} is unknown`);
      else if (typeof text !== 'string' || text.trim() === '') faults.push(`metadata.${name} must be a text`);
    if (metadata['name'] === undefined && kind !== 'Quota' && kind !== 'Webhook')
      faults.push('metadata.name is missing');
  }
  if (faults.length > 0) return faults;
  const named = { name: '', ...(metadata as Json) } as Document['metadata'];
  return { kind: kind as string, metadata: named, spec: spec as Json, place };
}
