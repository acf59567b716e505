import { type Fault } from '../../core/errors/app-error.js';
import { readJson, JsonSyntax } from '../../formats/json-reader.js';
import { type FormatLimits } from '../../formats/limits.js';
import { isObject, type Json } from '../../formats/located.js';
import { lineOf, lineStartsOf } from '../../formats/places.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type ComponentDefinition } from '../definition.js';
import { type FoundDefinition } from './found-definition.js';
import { Members } from './members.js';
import { ownVersion, withParts } from './model-definition.js';
import { isSound } from './sound-data.js';

/** Reads a component in any of its forms; where the older ones have members at the top, the current one has them under `component`. */
export function readComponent(
  { value, older, pointer }: FoundDefinition,
  faults: Fault[],
  limits: FormatLimits,
): ComponentDefinition {
  const members = new Members(value, pointer, faults);
  const own = older ? members : members.within('component');
  const kind = own.name('kind', 'Give the kind of resource that the component stands for.');
  const apiVersion = own.name(older ? 'apiVersion' : 'version', 'Give the apiVersion of the resource.');
  members.drop('schemaVersion', 'model', 'modelReference');
  const component = {
    kind,
    apiVersion,
    displayName: members.text('displayName', 'display-name') || kind,
    description: members.text('description'),
    format: members.text('format') || 'JSON',
    schema: schemaOf(own, limits),
    styles: members.objectAt('styles') ?? null,
    capabilities: members.list('capabilities') ?? null,
    metadata: members.objectAt('metadata') ?? {},
  };
  const version = older ? {} : ownVersion(members);
  const rest = { ...members.rest(), ...version };
  return { ...component, rest: older ? rest : withParts(rest, { component: own.rest() }) };
}

/** A schema that comes as text or as an object, as compact text; empty when there is none. */
function schemaOf(members: Members, limits: FormatLimits): string {
  const given = members.value('schema');
  if (given === undefined) return '';
  const schema = typeof given === 'string' ? parse(given, limits) : { value: given };
  const remedy = 'Give a JSON Schema, as an object or as JSON text.';
  if ('wrong' in schema) members.fault('schema', schema.wrong, remedy);
  else if (!isObject(schema.value)) members.fault('schema', 'is not an object', remedy);
  else return JSON.stringify(schema.value);
  return '';
}

function parse(text: string, limits: FormatLimits): { value: Json } | { wrong: string } {
  try {
    const value = JSON.parse(text) as Json;
    if (isSound(value, text, limits.depth)) return { value };
  } catch {
    // The reader with positions tells what is wrong.
  }
  return located(text, limits);
}

function located(text: string, limits: FormatLimits): { value: Json } | { wrong: string } {
  try {
    return { value: readJson('schema', text, { ...limits, roundNumbers: true }).value };
  } catch (error) {
    if (error instanceof JsonSyntax) {
      const starts = lineStartsOf(text);
      const line = lineOf(starts, error.offset);
      const column = error.offset - (starts[line] ?? 0) + 1;
      return { wrong: `is not JSON: ${error.message} (line ${line + 1}, column ${column} of the text)` };
    }
    if (!(error instanceof InvalidRequest)) throw error;
    const [{ detail, line, column } = { detail: error.message, line: 1, column: 1 }] = error.errors;
    return { wrong: `cannot be kept: ${detail} (line ${line}, column ${column} of the text)` };
  }
}
