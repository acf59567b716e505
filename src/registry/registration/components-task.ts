import { InvalidRequest } from '../../core/errors/app-error.js';
import { COMPONENT_SCHEMA_VERSION } from '../../formats/design-file/design-file.js';
import { asObject, isObject, type JsonObject } from '../../core/json/json.js';
import { findClosestName } from '../../core/closest-name.js';
import type { DefinitionFault } from '../../formats/definitions/definitions.js';
import type { PackageContent } from '../packages/package-content.js';
import { defineTask, type Task } from '../../core/workers/task.js';
import { type LimitedInput, type PackagePart, toPackageParts } from '../packages/package-loader.js';
import { readPackage } from '../packages/package-reader.js';

const FILE_NAME = 'components';
const MAX_COMPONENTS = 10_000;

interface ReadComponentsInput extends LimitedInput {
  /** The list as UTF-8 JSON. */
  components: Uint8Array;
  /** The known data of the model that they belong to. */
  model: JsonObject;
}

export const readComponentsTask: Task<ReadComponentsInput, Iterable<PackagePart>> = defineTask(import.meta.url, {
  readComponentsInWorker,
});

/** A component of the request and its place in the list. */
interface SentComponent {
  component: JsonObject;
  index: number;
}

const NO_CONTENT: PackageContent = { models: [], connections: [], faults: [], failed: 0 };

/** Task of the worker pool. @throws InvalidRequest with pointers into the body */
export async function readComponentsInWorker(input: ReadComponentsInput) {
  const sent = parseComponents(input.components).map((component, index) => ({ component, index }));
  const complete = sent.filter(hasSchema);
  const incomplete = sent.filter((each) => !hasSchema(each));
  const definitions = complete.map(({ component }) => ({
    ...toFullForm(component),
    model: mergeModel(component, input.model),
  }));
  const bytes = Buffer.from(JSON.stringify(definitions));
  const content = complete.length > 0 ? await readPackage({ path: FILE_NAME, bytes }, input.limits) : NO_CONTENT;
  const faults = content.faults.map(({ file: _file, line: _line, column: _column, ...fault }) => ({
    ...fault,
    pointer: `/${FILE_NAME}${toSentPointer(complete, fault.pointer ?? '')}`,
  }));
  return toPackageParts({
    ...content,
    faults: [...faults, ...incomplete.map(schemaFault)],
    failed: content.failed + incomplete.length,
  });
}

/** The part of a component that describes its resource. */
const partOf = (component: JsonObject): JsonObject =>
  isShortForm(component) ? component : asObject(component['component']);

/** Without a schema there is nothing to register: packages may refer to one elsewhere, a request may not. */
function hasSchema({ component }: SentComponent): boolean {
  const { schema } = partOf(component);
  return schema !== undefined && schema !== null && schema !== '';
}

function schemaFault({ component, index }: SentComponent): DefinitionFault {
  const misspelled = Object.keys(partOf(component)).find((name) => findClosestName(name, ['schema']));
  return {
    entity: 'component',
    path: FILE_NAME,
    pointer: `/${FILE_NAME}/${index}${isShortForm(component) ? '' : '/component'}/schema`,
    detail: 'schema is missing',
    remedy: misspelled
      ? `Is "${misspelled}" the schema? Name it so.`
      : 'Give a JSON Schema, as an object or as JSON text.',
  };
}

function parseComponents(bytes: Uint8Array): JsonObject[] {
  const list: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  if (!Array.isArray(list) || list.length === 0)
    throw InvalidRequest.forField(`/${FILE_NAME}`, 'must be a list that is not empty');
  if (list.length > MAX_COMPONENTS)
    throw InvalidRequest.forField(`/${FILE_NAME}`, `must have at most ${MAX_COMPONENTS} components`);
  if (!list.every((each) => isObject(each)))
    throw InvalidRequest.forField(`/${FILE_NAME}`, 'must be a list of objects');
  return list;
}

/** The name and version in the body take precedence; everything else that a component states of its model stays. */
const mergeModel = ({ model }: JsonObject, named: JsonObject): JsonObject => ({
  ...(isObject(model) ? model : {}),
  ...named,
});

/** The members that the short form of a component in the API has where the full one has them under `component`. */
const SHORT_MEMBERS: Record<string, string> = { kind: 'kind', version: 'apiVersion', schema: 'schema' };

const isShortForm = (component: JsonObject): boolean => component['component'] === undefined;

function toFullForm(component: JsonObject): JsonObject {
  const schemaVersion = component['schemaVersion'] ?? COMPONENT_SCHEMA_VERSION;
  if (!isShortForm(component)) return { ...component, schemaVersion };
  const { kind, apiVersion, schema, ...rest } = component;
  const given = Object.entries({ kind, version: apiVersion, schema }).filter(([, value]) => value !== undefined);
  return { ...rest, schemaVersion, component: Object.fromEntries(given) as JsonObject };
}

function toSentPointer(sent: readonly SentComponent[], pointer: string): string {
  const [, read = '', member, name = '', ...rest] = pointer.split('/');
  const found = sent[Number(read)];
  if (pointer === '' || !found) return pointer;
  const isShort = member === 'component' && isShortForm(found.component);
  const path = isShort ? [SHORT_MEMBERS[name] ?? name, ...rest] : pointer.split('/').slice(2);
  return ['', found.index, ...path.filter((part) => part !== '')].join('/');
}
