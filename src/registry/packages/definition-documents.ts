import { isUtf8 } from 'node:buffer';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { parseDocuments } from '../../formats/documents/parse-documents.js';
import { type FormatLimits } from '../../formats/sources/format-limits.js';
import type { Json } from '../../core/json/json.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type DefinitionFault } from '../../formats/definitions/definitions.js';
import { findRawDefinitions, type RawDefinition } from './raw-definition.js';
import { isStorableJson } from './storable-json.js';

const OPENING_BRACE = 0x7b;

/**
 * The definitions of one file. Returns faults instead when the file cannot be read.
 * Valid JSON, the most common case, is parsed without positions, which cost ten times as much; only faulty files are read again to locate the faults.
 */
export function readFileDefinitions(
  file: SourceFile,
  limits: FormatLimits,
): { found: RawDefinition[]; faults: DefinitionFault[] } {
  const parsed = parseJson(file, limits);
  if (parsed?.isStorable) return { found: findRawDefinitions(parsed.value, file.path, 1), faults: [] };
  try {
    const found = readLocatedDocuments(file, limits).flatMap(({ value, number }) =>
      findRawDefinitions(value, file.path, number),
    );
    return { found, faults: [] };
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    const [first] = parsed ? findRawDefinitions(parsed.value, file.path, 1) : [];
    const entity = first?.entity ?? 'file';
    return { found: [], faults: error.errors.map((fault) => ({ ...fault, entity, path: file.path })) };
  }
}

/** The documents with positions. Numbers in schemas are bounds and examples, for which the nearest double suffices. */
export function readLocatedDocuments(file: SourceFile, limits: FormatLimits): LocatedDocument[] {
  return parseDocuments(file, 'kubernetes', { ...limits, roundNumbers: true });
}

function parseJson({ bytes }: SourceFile, limits: FormatLimits): { value: Json; isStorable: boolean } | undefined {
  if (bytes[0] !== OPENING_BRACE || bytes.length > limits.textBytes || !isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    const value = JSON.parse(text) as Json;
    return { value, isStorable: isStorableJson(value, text, limits.depth) };
  } catch {
    return undefined;
  }
}
