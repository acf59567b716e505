// Measures the structure of `src`: imports against the order of folders, import cycles, tables named by folders to the left
// of their owner, and sizes. `npm run structure` prints a table and fails when one of the measurements that must be zero is not.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../src');

/** A folder of `src` imports only from folders to its left. */
export const ORDER = [
  'core',
  'jobs',
  'formats',
  'validation',
  'organizations',
  'auth',
  'connections',
  'kubernetes',
  'generators',
  'registry',
  'environments',
  'workspaces',
  'catalog',
  'designs',
  'filters',
  'deployments',
  'monitoring',
  'performance',
  'events',
  'overview',
  'health',
  'console',
  'mcp',
  'migrations',
  'commands',
  'app',
];

const SMALL = 30;
/** Files that are as small as what they describe. */
const DESCRIPTIVE = /\.(entity|view|policy|events|event|module|inputs|input|d)\.ts$/;

const MUST_BE_ZERO = new Set([
  'imports against the order of folders',
  'import cycles between files',
  'import cycles between sub-folders of one folder',
  'tables named by a folder left of their owner',
  'formatting switched off',
]);

/** Every measurement, as lists of what was found. */
export function measureStructure() {
  const files = sourceFiles();
  const isProduct = (file) => !/\.(spec|fixture)\.ts$/.test(file.path);
  const product = files.filter(isProduct);
  const graph = new Map(
    product.map((file) => [file.path, file.imports.filter((path) => !/\.(spec|fixture)\.ts$/.test(path))]),
  );
  return {
    'imports against the order of folders': product.flatMap(importsUpward),
    'import cycles between files': cycles(graph).map((cycle) => cycle.join(' → ')),
    'import cycles between sub-folders of one folder': subFolderCycles(graph),
    'tables named by a folder left of their owner': tablesUpward(product),
    [`files under ${SMALL} lines that describe no record`]: product
      .filter(({ path, lines }) => lines < SMALL && !DESCRIPTIVE.test(path))
      .map(({ path, lines }) => `${path} (${lines})`),
    'formatting switched off': product.flatMap((file) => occurrences(file, /prettier-ignore/g)),
    'casts through unknown or never': product.flatMap((file) => occurrences(file, /\bas unknown as\b|\bas never\b/g)),
  };
}

/** Every import between files of the product, as pairs of paths below `src`. */
export function listImports() {
  return sourceFiles()
    .filter(({ path }) => !/\.(spec|fixture)\.ts$/.test(path))
    .flatMap(({ path, imports }) => imports.map((target) => [path, target]));
}

function sourceFiles() {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, lines: text.split('\n').length - 1, imports: importsOf(path, text) };
    });
}

/** Type-only imports and dynamic ones included. */
function importsOf(path, text) {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(root, resolve(root, dirname(path), name.replace(/\.js$/, '.ts'))))
    .filter((target) => existsSync(join(root, target)));
}

export function folderOf(path) {
  const [first] = path.split(sep);
  return first.endsWith('.ts') ? 'app' : first;
}

function importsUpward({ path, imports }) {
  const from = ORDER.indexOf(folderOf(path));
  if (from < 0) return [`${path} is in a folder that the order does not name`];
  return imports.filter((target) => ORDER.indexOf(folderOf(target)) > from).map((target) => `${path} → ${target}`);
}

/**
 * The direct sub-folder of a folder, or the folder itself for the files at its root. A module stands for itself: it wires all
 * sub-folders, and none of them may import it.
 */
const roomOf = (path) => (path.endsWith('.module.ts') ? path : path.split(sep).slice(0, -1).slice(0, 2).join('/'));

/** Module files wire a folder together, so they know all of it; their imports are no dependency of the folder's code. */
function subFolderCycles(graph) {
  const rooms = new Map();
  for (const [from, targets] of graph) {
    if (from.endsWith('.module.ts')) continue;
    for (const to of targets) {
      if (folderOf(from) !== folderOf(to) || roomOf(from) === roomOf(to)) continue;
      rooms.set(roomOf(from), (rooms.get(roomOf(from)) ?? new Set()).add(roomOf(to)));
      if (!rooms.has(roomOf(to))) rooms.set(roomOf(to), new Set());
    }
  }
  return cycles(new Map([...rooms].map(([room, targets]) => [room, [...targets]]))).map((cycle) => cycle.join(' ↔ '));
}

/** Strongly connected components of more than one node (Tarjan). */
function cycles(graph) {
  const state = new Map();
  const stack = [];
  const found = [];
  let counter = 0;
  const visit = (node) => {
    const own = { index: counter, low: counter, onStack: true };
    counter += 1;
    state.set(node, own);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!state.has(next)) own.low = Math.min(own.low, visit(next).low);
      else if (state.get(next).onStack) own.low = Math.min(own.low, state.get(next).index);
    }
    if (own.low === own.index) {
      const component = [];
      for (let last; last !== node;) {
        last = stack.pop();
        state.get(last).onStack = false;
        component.push(last);
      }
      if (component.length > 1) found.push(component.sort());
    }
    return own;
  };
  for (const node of graph.keys()) if (!state.has(node)) visit(node);
  return found;
}

function tablesUpward(files) {
  const owners = new Map();
  for (const { path, text } of files)
    for (const [, table] of text.matchAll(/@Entity\('([a-z_]+)'/g)) owners.set(table, folderOf(path));
  return files
    .filter(({ path }) => folderOf(path) !== 'migrations')
    .flatMap(({ path, text }) => {
      const named = [...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)\b/g)].map(([, table]) => table);
      return [...new Set(named)]
        .filter((table) => owners.has(table) && ORDER.indexOf(owners.get(table)) > ORDER.indexOf(folderOf(path)))
        .map((table) => `${path} names ${table} of ${owners.get(table)}`);
    });
}

function occurrences({ path, text }, pattern) {
  return text.split('\n').flatMap((line, index) => (line.match(pattern) ?? []).map(() => `${path}:${index + 1}`));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const verbose = process.argv.includes('--list');
  for (const [name, found] of Object.entries(measureStructure())) {
    const isBroken = MUST_BE_ZERO.has(name) && found.length > 0;
    console.log(`${String(found.length).padStart(5)}  ${name}${isBroken ? ', which must be 0' : ''}`);
    if (verbose || isBroken) for (const each of found) console.log(`         ${each}`);
    if (isBroken) process.exitCode = 1;
  }
}
