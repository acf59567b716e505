import { InvalidRequest } from '../../core/errors/app-error.js';
import { COMPONENT_SCHEMA_VERSION } from '../../formats/design-file/design-file.js';
import { isObject, type JsonObject } from '../../core/json/json.js';
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

/** Task of the worker pool. @throws InvalidRequest with pointers into the body */
export async function readComponentsInWorker(input: ReadComponentsInput) {
  const components = parseComponents(input.components);
  const definitions = components.map((component) => ({
    ...toFullForm(component),
    model: mergeModel(component, input.model),
  }));
  const bytes = Buffer.from(JSON.stringify(definitions));
  const content = await readPackage({ path: FILE_NAME, bytes }, input.limits);
  const faults = content.faults.map(({ file: _file, line: _line, column: _column, ...fault }) => ({
    ...fault,
    pointer: `/${FILE_NAME}${toSentPointer(components, fault.pointer ?? '')}`,
  }));
  return toPackageParts({ ...content, faults });
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

function toSentPointer(components: JsonObject[], pointer: string): string {
  const [, index = '', member, name = '', ...rest] = pointer.split('/');
  const sent = components[Number(index)];
  if (member !== 'component' || !sent || !isShortForm(sent)) return pointer;
  return ['', index, SHORT_MEMBERS[name] ?? name, ...rest].filter((part, at) => at === 0 || part !== '').join('/');
}
