import { type Fault } from '../../core/errors/app-error.js';
import { parseJson, JsonSyntaxError } from '../../formats/documents/json-parser.js';
import { type FormatLimits } from '../../formats/sources/format-limits.js';
import { isObject, type Json } from '../../core/json/json.js';
import { findLine, findLineStarts } from '../../formats/documents/source-positions.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type ComponentDefinition } from '../../formats/definitions/definitions.js';
import { type RawDefinition } from './raw-definition.js';
import { MemberReader } from './member-reader.js';
import { readOwnVersion, mergeParts } from './model-definition-reader.js';
import { isStorableJson } from './storable-json.js';

/** Reads a component in any of its forms; older forms have members at the top that the current one has under `component`. */
export function readComponent(
  { value, older, pointer }: RawDefinition,
  faults: Fault[],
  limits: FormatLimits,
): ComponentDefinition {
  const members = new MemberReader(value, pointer, faults);
  const own = older ? members : members.nested('component');
  const kind = own.readName('kind', 'Set the kind of the resource that the component describes.');
  const apiVersion = own.readName(older ? 'apiVersion' : 'version', 'Give the apiVersion of the resource.');
  members.ignore('schemaVersion', 'model', 'modelReference');
  const component = {
    kind,
    apiVersion,
    displayName: members.readText('displayName', 'display-name') || kind,
    description: members.readText('description'),
    format: members.readText('format') || 'JSON',
    schema: readSchema(own, limits),
    styles: members.readObject('styles') ?? null,
    capabilities: members.readObjectList('capabilities') ?? null,
    metadata: members.readObject('metadata') ?? {},
  };
  const version = older ? {} : readOwnVersion(members);
  const rest = { ...members.unreadMembers(), ...version };
  return { ...component, rest: older ? rest : mergeParts(rest, { component: own.unreadMembers() }) };
}

/** A schema given as text or as an object, as compact text; empty when there is none. */
function readSchema(members: MemberReader, limits: FormatLimits): string {
  const given = members.readValue('schema');
  if (given === undefined) return '';
  const schema = typeof given === 'string' ? parseSchema(given, limits) : { value: given };
  const remedy = 'Give a JSON Schema, as an object or as JSON text.';
  if ('wrong' in schema) members.addFault('schema', schema.wrong, remedy);
  else if (!isObject(schema.value)) members.addFault('schema', 'is not an object', remedy);
  else return JSON.stringify(schema.value);
  return '';
}

function parseSchema(text: string, limits: FormatLimits): { value: Json } | { wrong: string } {
  try {
    const value = JSON.parse(text) as Json;
    if (isStorableJson(value, text, limits.depth)) return { value };
  } catch {
    // The reader with positions reports the faults.
  }
  return parseWithPositions(text, limits);
}

function parseWithPositions(text: string, limits: FormatLimits): { value: Json } | { wrong: string } {
  try {
    return { value: parseJson('schema', text, { ...limits, roundNumbers: true }).value };
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      const starts = findLineStarts(text);
      const line = findLine(starts, error.offset);
      const column = error.offset - (starts[line] ?? 0) + 1;
      return { wrong: `is not JSON: ${error.message} (line ${line + 1}, column ${column} of the text)` };
    }
    if (!(error instanceof InvalidRequest)) throw error;
    const [{ detail, line, column } = { detail: error.message, line: 1, column: 1 }] = error.errors;
    return { wrong: `cannot be kept: ${detail} (line ${line}, column ${column} of the text)` };
  }
}
