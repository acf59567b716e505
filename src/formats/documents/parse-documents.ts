import { InvalidRequest } from '../../core/errors/app-error.js';
import { JsonSyntaxError, parseJsonDocuments } from './json-parser.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../sources/format-limits.js';
import { type LocatedData, LocatedDocument } from './located-document.js';
import { findLine, findLineStarts } from './source-positions.js';
import { type SourceFile } from '../sources/source-file.js';
import { decodeText } from './decode-text.js';
import { type YamlDialect } from './yaml-scalar.js';
import { parseYaml } from './yaml-parser.js';

/**
 * The documents of a YAML or JSON file, without empty ones; the format is detected by content, not by name.
 * Synchronous, on this thread: use DocumentReader for input of any size.
 * Throws InvalidRequest with every syntax fault of the file.
 */
export function parseDocuments(
  file: SourceFile,
  dialect: YamlDialect = 'kubernetes',
  limits: FormatLimits = DEFAULT_FORMAT_LIMITS,
): LocatedDocument[] {
  return Array.from(parseLocated(file, dialect, limits), (data) => new LocatedDocument(data));
}

/** As parseDocuments, one by one and in the form that can be sent between threads. */
export function parseLocated(file: SourceFile, dialect: YamlDialect, limits: FormatLimits): Iterable<LocatedData> {
  const text = decodeText(file, limits.textBytes);
  if (!/\S/.test(text)) return [];
  const looksLikeJson = /^\s*(?:\{\s*["}]|\[\s*["{[\]\d])/.test(text);
  if (!looksLikeJson) return parseYaml(file.path, text, dialect, limits);
  try {
    return parseJsonDocuments(file.path, text, limits, dialect);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return parseFlowYaml(file.path, text, dialect, limits, error);
  }
}

/** YAML may begin with a bracket too; for a file that is neither, the parser that got further reports the faults. */
function parseFlowYaml(
  path: string,
  text: string,
  dialect: YamlDialect,
  limits: FormatLimits,
  syntax: JsonSyntaxError,
): LocatedData[] {
  const starts = findLineStarts(text);
  const line = findLine(starts, syntax.offset) + 1;
  const column = syntax.offset - (starts[line - 1] ?? 0) + 1;
  if (!path.toLowerCase().endsWith('.json')) {
    try {
      return [...parseYaml(path, text, dialect, limits)];
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
