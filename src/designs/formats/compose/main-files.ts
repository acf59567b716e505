import { posix } from 'node:path';
import { type FormatInput } from '../format.js';

/** The names under which Compose looks for its file, best first. */
const mainNames = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const overrides: Record<string, readonly string[]> = {
  compose: ['compose.override.yml', 'compose.override.yaml'],
  'docker-compose': ['docker-compose.override.yml', 'docker-compose.override.yaml'],
};

/**
 * The main file of an import: the only file, or in an archive the one of a standard name that is nearest to the top.
 * Without one the only YAML file at the top will do. Undefined when none can be told.
 */
export function mainFile(input: FormatInput): string | undefined {
  const paths = [...input.files.keys()];
  if (!input.archive) return paths[0];
  const rank = (path: string): number =>
    path.split('/').length * mainNames.length + mainNames.indexOf(posix.basename(path));
  const [main] = paths
    .filter((path) => mainNames.includes(posix.basename(path)))
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
  if (main !== undefined) return main;
  const top = paths.filter((path) => !path.includes('/') && /\.ya?ml$/.test(path));
  return top.length === 1 ? top[0] : top.find((path) => /compose/i.test(path));
}

/** The override file that Compose lays over a main file by itself. */
export function overrideOf(input: FormatInput, main: string): string[] {
  const stem = posix.basename(main).replace(/\.ya?ml$/, '');
  const names = Object.hasOwn(overrides, stem) ? (overrides[stem] ?? []) : [];
  const found = names.map((name) => posix.join(posix.dirname(main), name)).filter((path) => input.files.has(path));
  return found.slice(0, 1);
}
