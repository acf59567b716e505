import { InvalidRequest } from '../core/errors/app-error.js';
import { JsonSyntax, readJson } from './json-reader.js';
import { defaultLimits, type FormatLimits } from './limits.js';
import { type LocatedData, LocatedDocument } from './located.js';
import { lineOf, lineStartsOf } from './places.js';
import { type SourceFile } from './source-file.js';
import { decodeText } from './text.js';
import { type Dialect } from './yaml-scalar.js';
import { readYaml } from './yaml-reader.js';

/**
 * The documents of a YAML or JSON file, without empty ones; what it is shows in the content, not in the name.
 * Works at once and on this thread: for input of any size go through DocumentReader.
 * Throws InvalidRequest with every syntax fault of the file.
 */
export function readDocuments(
  file: SourceFile,
  dialect: Dialect = 'kubernetes',
  limits: FormatLimits = defaultLimits,
): LocatedDocument[] {
  return Array.from(readLocated(file, dialect, limits), (data) => new LocatedDocument(data));
}

/** As readDocuments, one by one and in the form that passes between threads. */
export function readLocated(file: SourceFile, dialect: Dialect, limits: FormatLimits): Iterable<LocatedData> {
  const text = decodeText(file, limits.textBytes);
  if (!/\S/.test(text)) return [];
  const looksLikeJson = /^\s*(?:\{\s*["}]|\[\s*["{[\]\d])/.test(text);
  if (!looksLikeJson) return readYaml(file.path, text, dialect, limits);
  try {
    const document = readJson(file.path, text, limits);
    return document.value === null ? [] : [document];
  } catch (error) {
    if (!(error instanceof JsonSyntax)) throw error;
    return readFlow(file.path, text, dialect, limits, error);
  }
}

/** YAML may begin with a bracket too; of a file that is neither, the reading that got further tells what is wrong. */
function readFlow(
  path: string,
  text: string,
  dialect: Dialect,
  limits: FormatLimits,
  syntax: JsonSyntax,
): LocatedData[] {
  const starts = lineStartsOf(text);
  const line = lineOf(starts, syntax.offset) + 1;
  const column = syntax.offset - (starts[line - 1] ?? 0) + 1;
  if (!path.toLowerCase().endsWith('.json')) {
    try {
      return [...readYaml(path, text, dialect, limits)];
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      if ((error.errors[0]?.line ?? 0) > line) throw error;
    }
  }
  const remedy = 'Correct the JSON at this place; comments and trailing commas are not part of it.';
  throw new InvalidRequest(`${path}: line ${line}, column ${column}: ${syntax.message}`, {
    errors: [{ file: path, line, column, detail: syntax.message, remedy }],
    remedy,
    cause: syntax,
  });
}
