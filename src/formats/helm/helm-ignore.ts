import { InvalidRequest } from '../../core/errors/app-error.js';
import { type SourceFile } from '../sources/source-file.js';
import { GlobPattern, GlobSyntaxError } from './glob-pattern.js';

/** The file of a chart with rules for excluded files. */
export const IGNORE_FILE = '.helmignore';
/** Helm's built-in rule: hidden files are not templates. */
const DEFAULT_RULE = 'templates/.?*';
/** Helm does not load these, neither as dependencies nor otherwise. */
const HIDDEN_DEPENDENCY = /^(?:charts\/[^/]+\/)*charts\/[._]/;
/** Real charts have about 30. */
const MAX_RULES = 1000;
const MAX_RULE_LENGTH = 255;

/** One line of a `.helmignore`. */
interface IgnoreRule {
  negated: boolean;
  directoriesOnly: boolean;
  /** Whether the last segment of a path is compared, rather than the path. */
  nameOnly: boolean;
  pattern: GlobPattern;
}

/**
 * The files of a chart that Helm loads from its folder, by path from there: those that its `.helmignore` does not exclude. Packed dependencies
 * are matched as single files, so this must run before they are unpacked. Throws InvalidRequest with the lines that Helm refuses.
 */
export function withoutIgnoredFiles(files: ReadonlyMap<string, SourceFile>): ReadonlyMap<string, SourceFile> {
  const rules = parseRules(files.get(IGNORE_FILE));
  const folders = new Map<string, boolean>();
  const isFolderIgnored = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const above = folder.lastIndexOf('/');
    const ignored = (above > 0 && isFolderIgnored(folder.slice(0, above))) || isIgnored(rules, folder, true);
    folders.set(folder, ignored);
    return ignored;
  };
  const isLoaded = (path: string): boolean => {
    const slash = path.lastIndexOf('/');
    if (slash > 0 && isFolderIgnored(path.slice(0, slash))) return false;
    return !isIgnored(rules, path, false) && !HIDDEN_DEPENDENCY.test(path);
  };
  return new Map([...files].filter(([path]) => isLoaded(path)));
}

/** The first rule that matches decides; one that begins with `!` excludes what it does not match. */
function isIgnored(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const { negated, directoriesOnly, nameOnly, pattern } of rules) {
    const matches = (isFolder || !directoriesOnly) && pattern.matches(nameOnly ? name : path);
    if (matches !== negated) return true;
  }
  return false;
}

function parseRules(file: SourceFile | undefined): IgnoreRule[] {
  const lines = file
    ? Buffer.from(file.bytes)
        .toString()
        .replace(/^\ufeff/, '')
        .split('\n')
    : [];
  const rules: IgnoreRule[] = [];
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    if (rules.length >= MAX_RULES)
      throw ruleFault(file, index, `has more than ${MAX_RULES} rules`, 'Write fewer rules.');
    rules.push(parseRule(file, index, text));
  }
  return [...rules, parseRule(file, 0, DEFAULT_RULE)];
}

function parseRule(file: SourceFile | undefined, index: number, text: string): IgnoreRule {
  if (text.length > MAX_RULE_LENGTH)
    throw ruleFault(file, index, `is a rule of more than ${MAX_RULE_LENGTH} characters`, 'Shorten it.');
  if (text.includes('**'))
    throw ruleFault(file, index, 'Helm has no "**" in this file', 'Write one rule for each folder, with a single "*".');
  const negated = text.startsWith('!');
  const directoriesOnly = text.endsWith('/');
  const rule = text.slice(negated ? 1 : 0, directoriesOnly ? -1 : undefined);
  try {
    const pattern = new GlobPattern(rule.startsWith('/') ? rule.slice(1) : rule);
    return { negated, directoriesOnly, nameOnly: !rule.includes('/'), pattern };
  } catch (error) {
    if (!(error instanceof GlobSyntaxError)) throw error;
    throw ruleFault(
      file,
      index,
      'is not a pattern that Helm knows',
      'Close each "[", and write "\\\\" for a backslash.',
    );
  }
}

function ruleFault(file: SourceFile | undefined, index: number, detail: string, remedy: string): InvalidRequest {
  const path = file?.path ?? IGNORE_FILE;
  const fault = { file: path, line: index + 1, column: 1, detail, remedy };
  return new InvalidRequest(`${path}: line ${index + 1}: ${detail}`, { errors: [fault], remedy });
}
