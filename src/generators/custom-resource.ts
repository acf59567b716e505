import { isObject, type Json, type JsonObject, asObject, asText } from '../core/json/json.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { toPointer } from '../core/json/json-pointer.js';
import { type GenerationCollector } from './generation-collector.js';

const GROUP_PATTERN = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const KIND_PATTERN = /^[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const LABEL_PATTERN = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const API_VERSIONS = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

/** A CustomResourceDefinition in a document, not yet validated. */
export interface LocatedDefinition {
  document: LocatedDocument;
  pointer: string;
  apiVersion: Json | undefined;
  value: JsonObject;
}

/** One served version of a kind. */
export interface ResourceVersion {
  name: string;
  /** JSON Pointer to the version in the document. */
  pointer: string;
  isStored: boolean;
  isDeprecated: boolean;
  schema: JsonObject | undefined;
  subresources: string[];
}

/** The data of a valid definition. */
export interface CustomResource {
  group: string;
  kind: string;
  isNamespaced: boolean;
  names: JsonObject;
  /** The label `app.kubernetes.io/version`. */
  release: string;
  versions: ResourceVersion[];
}

/** The CustomResourceDefinitions of a document, including items of a List. Items of a CustomResourceDefinitionList need no apiVersion and kind. */
export function findDefinitions(document: LocatedDocument): LocatedDefinition[] {
  const found: LocatedDefinition[] = [];
  const visit = (value: Json, pointer: string, list?: JsonObject): void => {
    if (!isObject(value)) return;
    const kind = value['kind'] ?? asText(list?.['kind']).replace(/List$/, '');
    const apiVersion = value['apiVersion'] ?? list?.['apiVersion'];
    const { items } = value;
    if (kind === 'CustomResourceDefinition') found.push({ document, pointer, apiVersion, value });
    else if (Array.isArray(items) && asText(kind).endsWith('List')) {
      items.forEach((item, index) => visit(item, pointer + toPointer('items', index), value));
    }
  };
  visit(document.value, '');
  return found;
}

/** Validates the parts of a definition that components need; undefined when it is invalid as a whole. Adds every fault to `contents`. */
export function parseDefinition(
  definition: LocatedDefinition,
  contents: GenerationCollector,
): CustomResource | undefined {
  const { document, pointer, apiVersion, value } = definition;
  const spec = asObject(value['spec']);
  const names = asObject(spec['names']);
  const isOld = apiVersion === API_VERSIONS[1];
  let sound = true;
  const fault = (at: string, detail: string, remedy: string): void => {
    sound = false;
    contents.addFault('component', { document, pointer: pointer + at }, detail, remedy);
  };
  if (!API_VERSIONS.includes(asText(apiVersion)))
    fault('/apiVersion', 'is not a known form of definition', `Write ${API_VERSIONS.join(' or ')}.`);
  if (!isObject(value['spec'])) fault('/spec', 'must be an object', 'Send the whole CustomResourceDefinition.');
  else {
    const { group, scope = isOld ? 'Namespaced' : undefined } = spec;
    if (!GROUP_PATTERN.test(asText(group)))
      fault('/spec/group', 'must be a domain in lowercase', 'Write it as in "group: cert-manager.io".');
    if (scope !== 'Namespaced' && scope !== 'Cluster')
      fault('/spec/scope', 'must be Namespaced or Cluster', 'Write one of the two.');
    if (!isObject(spec['names']))
      fault('/spec/names', 'must be an object', 'Write "names:" with kind and plural below it.');
    else {
      if (!KIND_PATTERN.test(asText(names['kind'])))
        fault(
          '/spec/names/kind',
          'must be one word of letters, digits and hyphens',
          'Write it as in "kind: Certificate".',
        );
      if (!LABEL_PATTERN.test(asText(names['plural'])))
        fault('/spec/names/plural', 'must be one word in lowercase', 'Write it as in "plural: certificates".');
    }
  }
  if (!sound) return undefined;
  const versions = parseVersions(definition, spec, isOld, contents);
  return {
    group: asText(spec['group']),
    kind: asText(names['kind']),
    isNamespaced: spec['scope'] !== 'Cluster',
    names,
    release: asText(asObject(asObject(value['metadata'])['labels'])['app.kubernetes.io/version']),
    versions,
  };
}

function parseVersions(
  { document, pointer }: LocatedDefinition,
  spec: JsonObject,
  isOld: boolean,
  contents: GenerationCollector,
): ResourceVersion[] {
  const at = `${pointer}/spec/versions`;
  const only: JsonObject = { name: spec['version'] ?? null, served: true, storage: true };
  const given = spec['versions'] ?? (isOld ? [only] : undefined);
  if (!Array.isArray(given) || given.length === 0) {
    contents.addFault(
      'component',
      { document, pointer: at },
      'must list at least one version',
      'Add a version with name, served, storage and schema.',
    );
    return [];
  }
  const versions = given.flatMap((version, index): ResourceVersion[] => {
    const place = { document, pointer: at + toPointer(index) };
    const inside = (member: string) => ({ document, pointer: `${place.pointer}/${member}` });
    if (!isObject(version)) {
      contents.addFault('component', place, 'must be an object', 'Write name, served, storage and schema.');
      return [];
    }
    const name = asText(version['name']);
    if (!LABEL_PATTERN.test(name)) {
      contents.addFault('component', inside('name'), 'must be a version such as v1', 'Write it as in "name: v1".');
      return [];
    }
    if (version['served'] !== true) return [];
    const validation = asObject(version['schema'] ?? (isOld ? spec['validation'] : undefined));
    const schema = validation['openAPIV3Schema'];
    if (schema !== undefined && !isObject(schema)) {
      contents.addFault(
        'component',
        inside('schema/openAPIV3Schema'),
        'must be an object',
        'Write a schema with "type: object".',
      );
      return [];
    }
    if (schema === undefined && !isOld)
      contents.addWarning(inside('schema'), 'is missing, which a cluster refuses', 'Add openAPIV3Schema.');
    const subresources = Object.keys(asObject(version['subresources'] ?? spec['subresources'])).sort();
    const isStored = version['storage'] === true;
    return [
      { name, pointer: place.pointer, isStored, isDeprecated: version['deprecated'] === true, schema, subresources },
    ];
  });
  if (given.every((version) => isObject(version) && version['served'] !== true)) {
    contents.addWarning(
      { document, pointer: at },
      'serves no version, so no component comes of it',
      'Set "served: true" on a version.',
    );
  }
  return versions;
}
