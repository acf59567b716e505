import { InvalidRequest } from '../../core/errors/app-error.js';
import { isObject, type Json } from '../../core/json/json.js';
import { type SourceFile } from '../sources/source-file.js';

const SCHEMA_FILE = /(?:^|\/)values\.schema\.json$/;
/** Keywords with which a JSON Schema references others. */
const REFERENCE_KEYWORDS = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
/** The drafts that are built into Helm, under exactly these names; it would fetch any other. */
const KNOWN_DRAFT =
  /^(?:http:\/\/json-schema\.org\/draft-0[4-7]\/schema#?|https:\/\/json-schema\.org\/draft\/20(?:19-09|20-12)\/schema)$/;
const MAX_DEPTH = 500;
/** The size that can be read synchronously; schemas of real charts have a tenth of it. */
const MAX_SCHEMA_BYTES = 1024 * 1024;

/**
 * The bytes of a file of a chart; for a values schema, without references that Helm would fetch from a URL or read from the disk. Such parts
 * then allow every value. Throws InvalidRequest for a schema that is not JSON.
 */
export function removeRemoteSchemas(path: string, { path: shown, bytes }: SourceFile): Uint8Array {
  if (!SCHEMA_FILE.test(path)) return bytes;
  if (bytes.length > MAX_SCHEMA_BYTES) return Buffer.from('{}');
  try {
    return Buffer.from(JSON.stringify(removeRemoteReferences(JSON.parse(Buffer.from(bytes).toString()) as Json, 0)));
  } catch (error) {
    const detail = `is not JSON: ${(error as Error).message}`;
    const remedy = 'Correct the schema, or leave it out of the chart.';
    throw new InvalidRequest(`${shown} ${detail}`, { errors: [{ file: shown, detail, remedy }], remedy });
  }
}

function removeRemoteReferences(value: Json, depth: number): Json {
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) return value.map((item) => removeRemoteReferences(item, depth + 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key, member]) => {
    if (typeof member !== 'string') return true;
    if (REFERENCE_KEYWORDS.has(key)) return member.startsWith('#');
    if (key === '$schema') return KNOWN_DRAFT.test(member);
    return true;
  });
  return Object.fromEntries(members.map(([key, member]) => [key, removeRemoteReferences(member, depth + 1)]));
}
