import { isObject } from '../../core/json/json.js';
import { dns1035Label, dnsSubdomain } from '../values/name-rules.js';
import { compilePattern } from '../values/pattern.js';
import { ResourceField, type FieldRule } from './resource-field.js';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const FORBIDDEN = ['$ref', 'definitions', 'dependencies', 'patternProperties', 'additionalItems', 'id'];
const MAX_DEPTH = 50;

/** Checks a CustomResourceDefinition: names, versions, and that the schemas are structural. */
export const customResourceDefinition: FieldRule = (place) => {
  const spec = place.at('spec');
  const group = spec.at('group');
  if (group.required()) group.named(dnsSubdomain);
  if (group.isGiven && !group.text.includes('.')) group.invalid('should be a domain with at least one dot');
  spec.at('scope').oneOf(['Cluster', 'Namespaced'], true);
  names(spec.at('names'));
  const expected = `${spec.at('names', 'plural').text}.${group.text}`;
  if (place.at('metadata', 'name').text !== expected)
    place.at('metadata', 'name').invalid('must be spec.names.plural+"."+spec.group');
  const versions = spec.at('versions');
  for (const version of versions.items) definedVersion(version);
  const called = versions.items.map((version) => version.at('name').text);
  if (new Set(called).size < called.length) versions.error('Invalid value: must contain unique version names');
  if (versions.items.filter((version) => version.at('storage').value === true).length !== 1)
    versions.error('Invalid value: must have exactly one version marked as storage version');
  spec.at('conversion', 'strategy').oneOf(['None', 'Webhook']);
  reviewVersions(spec.at('conversion', 'webhook', 'conversionReviewVersions'));
  if (spec.at('preserveUnknownFields').value === true) spec.at('preserveUnknownFields').invalid('must be false');
};

function reviewVersions(list: ResourceField): void {
  for (const version of list.items) {
    const why = dns1035Label(version.text);
    if (why) version.invalid(why);
  }
  ResourceField.unique(list.items);
}

function names(place: ResourceField): void {
  const label = (name: string): string | undefined => dns1035Label(name.toLowerCase());
  place.at('plural').requiredName(dns1035Label);
  place.at('kind').requiredName(label);
  place.at('singular').named(dns1035Label);
  place.at('listKind').named(label);
  if (place.has('kind') && place.at('kind').text === place.at('listKind').text)
    place.at('listKind').invalid('kind and listKind may not be the same');
  for (const member of ['shortNames', 'categories'])
    for (const name of place.at(member).items) {
      const why = dns1035Label(name.text);
      if (why) name.invalid(why);
    }
}

function definedVersion(version: ResourceField): void {
  version.at('name').named(dns1035Label);
  if (!version.has('name')) version.at('name').required();
  const schema = version.at('schema', 'openAPIV3Schema');
  if (!schema.isObject) schema.error('Required value: schemas are required');
  else structure(schema, true, 0);
  const warning = version.at('deprecationWarning');
  if (warning.value !== undefined && version.at('deprecated').value !== true)
    warning.invalid('can only be set for deprecated versions');
  for (const column of version.at('additionalPrinterColumns').items) {
    column.at('name').required();
    column.at('type').oneOf(COLUMN_TYPES, true);
    column.at('format').oneOf(COLUMN_FORMATS);
    const path = column.at('jsonPath');
    if (path.required() && !path.text.startsWith('.')) path.invalid('must be a simple json path starting with .');
  }
  const scale = version.at('subresources', 'scale');
  if (!scale.isObject) return;
  for (const [member, start] of [
    ['specReplicasPath', '.spec.'],
    ['statusReplicasPath', '.status.'],
  ] as const)
    if (scale.at(member).required() && !scale.at(member).text.startsWith(start))
      scale.at(member).invalid(`should be a json path under ${start.slice(0, -1)}`);
}

/** The rules of structural schemas on types, items and properties. */
function structure(schema: ResourceField, isRoot: boolean, depth: number): void {
  if (depth > MAX_DEPTH) return;
  const type = schema.at('type');
  const isAny =
    schema.at('x-kubernetes-int-or-string').value === true ||
    schema.at('x-kubernetes-preserve-unknown-fields').value === true;
  if (type.isGiven) type.oneOf(TYPES);
  else if (isRoot || !isAny) type.error('Required value: must not be empty for specified object fields');
  if (isRoot && type.isGiven && type.text !== 'object') type.invalid('must be object at the root');
  for (const member of FORBIDDEN) if (schema.has(member)) schema.at(member).forbidden(`${member} is not supported`);
  if (schema.at('uniqueItems').value === true)
    schema
      .at('uniqueItems')
      .forbidden('uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  const pattern = schema.at('pattern');
  const fault = pattern.isGiven ? compilePattern(pattern.text) : undefined;
  if (typeof fault === 'string') pattern.invalid(`must be a valid regular expression, but isn't: ${fault}`);
  if (type.text === 'array' && !schema.at('items').isObject)
    schema.at('items').error('Required value: must be specified');
  listKeys(schema);
  const additional = schema.at('additionalProperties');
  const properties = schema.at('properties');
  if (additional.isObject && properties.entries.length > 0)
    additional.forbidden('additionalProperties and properties are mutual exclusive');
  for (const [name, property] of properties.entries) {
    if (isRoot && name === 'metadata') {
      if (property.at('type').text !== 'object') property.at('type').invalid('must be object');
    } else if (isRoot && (name === 'kind' || name === 'apiVersion')) {
      if (property.at('type').text !== 'string') property.at('type').invalid('must be string');
    } else structure(property, false, depth + 1);
  }
  if (schema.at('items').isObject) structure(schema.at('items'), false, depth + 1);
  if (isObject(additional.value)) structure(additional, false, depth + 1);
}

function listKeys(schema: ResourceField): void {
  const [type, keys] = [schema.at('x-kubernetes-list-type'), schema.at('x-kubernetes-list-map-keys')];
  type.oneOf(['atomic', 'set', 'map']);
  if (type.text !== 'map') {
    if (keys.isGiven) keys.forbidden('x-kubernetes-list-map-keys may only be used if x-kubernetes-list-type is map');
    return;
  }
  if (!keys.required('must not be empty if x-kubernetes-list-type is map')) return;
  ResourceField.unique(keys.items);
  for (const key of keys.items)
    if (!schema.at('items', 'properties', key.text).isObject)
      keys.invalid('entries must all be names of item properties');
}
