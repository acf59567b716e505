import { posix } from 'node:path';
import { InvalidRequest } from '../../../core/errors/app-error.js';
import { isObject, type JsonObject } from '../../../core/json/json.js';
import { findTextFiles } from '../design-input.js';
import { type FormatInput } from '../format.js';
import { findClosestName } from '../../../core/closest-name.js';
import { isOldLayout } from './compose-document.js';
import { resolveInArchive } from './paths.js';
import { serviceKeys } from './specification.js';

/** The file names that Compose looks for, preferred first. */
const mainNames = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const overrides: Record<string, readonly string[]> = {
  compose: ['compose.override.yml', 'compose.override.yaml'],
  'docker-compose': ['docker-compose.override.yml', 'docker-compose.override.yaml'],
};

/**
 * The files of an import that look like Compose files: the only file, or in an archive the one with a standard name that is nearest
 * to the top, else those at its top. `documents` may throw for files with syntax faults.
 */
export async function findComposeFiles(input: FormatInput): Promise<string[]> {
  const found: string[] = [];
  for (const path of candidates(input)) {
    const [document] = await input.documents(path, 'core');
    if (document?.object && looksLikeCompose(document.object, posix.basename(path))) found.push(path);
  }
  return found;
}

/**
 * The files of the project, in the order in which they are merged: those that COMPOSE_FILE names,
 * or the main file and its override. Throws InvalidRequest when they cannot be identified.
 */
export async function findProjectFiles(
  input: FormatInput,
  variables: (directory: string) => ReadonlyMap<string, string>,
): Promise<string[]> {
  const found = await findComposeFiles(input);
  const [first] = found;
  const isFileChosen = input.files.has(input.chosenPath);
  const named = input.archive && !isFileChosen ? readComposeFileVariable(input, first, variables) : undefined;
  if (named) return named;
  if (first === undefined) {
    const [only] = input.files.keys();
    if (only !== undefined && !input.archive) return [only];
    throw new InvalidRequest(`${input.name} holds no Compose file`);
  }
  const main = found.length === 1 ? first : found.find((path) => /compose/i.test(posix.basename(path)));
  if (main === undefined) {
    throw new InvalidRequest(`${input.name} holds several Compose files`, {
      errors: [{ file: input.name, detail: `holds several Compose files: ${found.join(', ').slice(0, 500)}` }],
      remedy:
        'Choose one with the field path, or name those that make up the project, in order, in COMPOSE_FILE: "base.yaml:override.yaml".',
    });
  }
  return isFileChosen ? [main] : [main, ...findOverride(input, main)];
}

function candidates(input: FormatInput): string[] {
  const paths = findTextFiles(input);
  if (!input.archive || input.files.has(input.chosenPath)) return paths.slice(0, 1);
  const depth = (path: string): number => path.split('/').length;
  const rank = (path: string): number => depth(path) * mainNames.length + mainNames.indexOf(posix.basename(path));
  const [main] = paths
    .filter((path) => mainNames.includes(posix.basename(path)))
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
  if (main !== undefined) return [main];
  const top = Math.min(...paths.map(depth));
  return paths.filter((path) => depth(path) === top);
}

function looksLikeCompose(content: JsonObject, name: string): boolean {
  if (['apiVersion', 'kind', 'components', 'schemaVersion'].some((key) => Object.hasOwn(content, key))) return false;
  const { services, version } = content;
  if (services === undefined || services === null) {
    const parts = ['volumes', 'networks', 'configs', 'secrets'].some((key) => isObject(content[key]));
    return Array.isArray(content.include) || (version !== undefined && parts) || isOldLayout(content);
  }
  if (Array.isArray(services)) return /compose/i.test(name) || services.filter(isObject).some(isListedService);
  if (!isObject(services)) return false;
  const entries = Object.values(services).filter(isObject);
  if (entries.some((entry) => typeof entry.type === 'string' && entry.image === undefined)) return false;
  return /compose/i.test(name) || entries.some(looksLikeService);
}

/** An object with a key of a service, or with only misspelt ones: reading it reports the location. */
function looksLikeService(entry: JsonObject): boolean {
  const keys = Object.keys(entry);
  if (keys.some((key) => serviceKeys.has(key))) return true;
  return keys.length > 0 && keys.every((key) => findClosestName(key, serviceKeys) !== undefined);
}

/** A service as an item of a list, beside its name or below it: reading it reports that services must be a mapping. */
function isListedService(item: JsonObject): boolean {
  return looksLikeService(item) || Object.values(item).filter(isObject).some(looksLikeService);
}

/** The files that COMPOSE_FILE names, from the top of the archive or from the directory of the main file. */
function readComposeFileVariable(
  input: FormatInput,
  first: string | undefined,
  variables: (directory: string) => ReadonlyMap<string, string>,
): string[] | undefined {
  const directory = first === undefined || posix.dirname(first) === '.' ? '' : posix.dirname(first);
  const known = variables(directory);
  const list = known.get('COMPOSE_FILE');
  if (list === undefined || list === '') return undefined;
  const separator = known.get('COMPOSE_PATH_SEPARATOR') || (list.includes(';') ? ';' : ':');
  return list.split(separator).map((path) => {
    const found = ['', directory]
      .map((from) => resolveInArchive(from, path.trim()))
      .find((at) => input.files.has(at ?? ''));
    if (found !== undefined) return found;
    const detail = `COMPOSE_FILE names ${path.slice(0, 200)}, which is not part of the import`;
    throw new InvalidRequest(detail, { errors: [{ file: input.name, detail }] });
  });
}

/** The override file that Compose merges with a main file by default. */
function findOverride(input: FormatInput, main: string): string[] {
  const stem = posix.basename(main).replace(/\.ya?ml$/, '');
  const names = Object.hasOwn(overrides, stem) ? (overrides[stem] ?? []) : [];
  const found = names.map((name) => posix.join(posix.dirname(main), name)).filter((path) => input.files.has(path));
  return found.slice(0, 1);
}
