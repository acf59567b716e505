import { isObject, type Json, type JsonObject, asText } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { toFieldPath, type Findings, invalidValue, quoted } from '../schema/findings.js';
import { prefixRule, dnsLabel, labelValue, type NameRule, qualifiedName } from '../values/name-rules.js';
import { isInteger, jsonTypeOf } from './scalars.js';
import { parseTimestamp } from '../values/timestamp.js';

const MAX_ANNOTATION_BYTES = 256 * 1024;

type Shape = 'text' | 'integer' | 'boolean' | 'time' | 'texts' | 'map' | 'any' | { list: Record<string, Shape> };

/** The types of the fields of ObjectMeta; other fields are unknown. */
const MEMBERS: Record<string, Shape> = {
  name: 'text',
  generateName: 'text',
  namespace: 'text',
  selfLink: 'text',
  uid: 'text',
  resourceVersion: 'text',
  generation: 'integer',
  creationTimestamp: 'time',
  deletionTimestamp: 'time',
  deletionGracePeriodSeconds: 'integer',
  labels: 'map',
  annotations: 'map',
  ownerReferences: {
    list: {
      apiVersion: 'text',
      kind: 'text',
      name: 'text',
      uid: 'text',
      controller: 'boolean',
      blockOwnerDeletion: 'boolean',
    },
  },
  finalizers: 'texts',
  managedFields: {
    list: {
      manager: 'text',
      operation: 'text',
      apiVersion: 'text',
      time: 'time',
      fieldsType: 'text',
      fieldsV1: 'any',
      subresource: 'text',
    },
  },
};

export interface MetaRules {
  /** The rule of the name. */
  name: NameRule;
  /** Whether `name` or `generateName` is required. */
  mustBeNamed: boolean;
}

/** Validates `metadata` as ObjectMeta. */
export function checkObjectMeta(metadata: Json | undefined, at: string, rules: MetaRules, findings: Findings): void {
  const before = findings.errors.length;
  if (metadata !== undefined && metadata !== null) checkMembers(metadata, MEMBERS, at, findings);
  if (findings.errors.length > before) return; // metadata that cannot be decoded is not checked further
  const meta = isObject(metadata) ? metadata : {};
  checkNames(meta, at, rules, findings);
  checkLabels(meta['labels'], `${at}/labels`, findings);
  checkAnnotations(meta['annotations'], `${at}/annotations`, findings);
  for (const [index, name] of listOf(meta['finalizers']).entries()) {
    const why = qualifiedName(asText(name));
    if (why) findings.error(`${at}/finalizers${toPointer(index)}`, 'metadata', invalidValue(name, why));
  }
  for (const [index, owner] of listOf(meta['ownerReferences']).entries()) {
    for (const name of ['apiVersion', 'kind', 'name', 'uid'])
      if (!isObject(owner) || !owner[name])
        findings.error(
          `${at}/ownerReferences${toPointer(index, name)}`,
          'metadata',
          invalidValue('', 'must not be empty'),
        );
  }
}

/** Checks the types of the fields of `metadata` only, as an API server does in templates. */
export function checkMetaShape(metadata: Json, at: string, findings: Findings): void {
  checkMembers(metadata, MEMBERS, at, findings);
}

/** Checks the labels of an object or a template. */
export function checkLabels(labels: Json | undefined, at: string, findings: Findings): void {
  for (const [key, value] of Object.entries(isObject(labels) ? labels : {})) {
    const ofKey = qualifiedName(key);
    if (ofKey) findings.error(at, 'metadata', invalidValue(key, ofKey));
    const ofValue = labelValue(asText(value));
    if (ofValue) findings.error(at + toPointer(key), 'metadata', invalidValue(value, ofValue));
  }
}

export function checkAnnotations(annotations: Json | undefined, at: string, findings: Findings): void {
  let size = 0;
  for (const [key, value] of Object.entries(isObject(annotations) ? annotations : {})) {
    const why = qualifiedName(key.toLowerCase());
    if (why) findings.error(at, 'metadata', invalidValue(key, why));
    size += Buffer.byteLength(key) + Buffer.byteLength(asText(value));
  }
  if (size > MAX_ANNOTATION_BYTES)
    findings.error(at, 'metadata', `Too long: may not be more than ${MAX_ANNOTATION_BYTES} bytes`);
}

function checkNames(meta: JsonObject, at: string, { name: rule, mustBeNamed }: MetaRules, findings: Findings): void {
  const check = (member: string, isName: NameRule): void => {
    const value = meta[member];
    const why = typeof value === 'string' && value !== '' ? isName(value) : undefined;
    if (why) findings.error(`${at}/${member}`, 'metadata', invalidValue(value, why));
  };
  if (mustBeNamed && !meta['name'] && !meta['generateName'])
    findings.error(`${at}/name`, 'metadata', 'Required value: name or generateName is required');
  check('name', rule);
  check('generateName', prefixRule(rule));
  check('namespace', dnsLabel);
}

function checkMembers(value: Json, members: Record<string, Shape>, at: string, findings: Findings): void {
  if (!isObject(value)) {
    findings.error(at, 'metadata', invalidValue(value, `cannot unmarshal ${jsonTypeOf(value)} into an object`));
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const shape = Object.hasOwn(members, name) ? members[name] : undefined;
    const place = at + toPointer(name);
    if (!shape) findings.warn(place, 'unknown-field', `unknown field "${toFieldPath(place)}"`);
    else if (member !== null) checkShape(member, shape, place, findings);
  }
}

function checkShape(value: Json, shape: Shape, at: string, findings: Findings): void {
  const wrong = (): void =>
    findings.error(at, 'metadata', invalidValue(value, `cannot unmarshal ${jsonTypeOf(value)}`));
  if (typeof shape === 'object') {
    if (!Array.isArray(value)) return wrong();
    for (const [index, item] of value.entries())
      if (item !== null) checkMembers(item, shape.list, at + toPointer(index), findings);
  } else if (shape === 'map' && isObject(value)) {
    for (const [key, text] of Object.entries(value))
      if (text !== null) checkShape(text, 'text', at + toPointer(key), findings);
  } else if (shape === 'texts' && Array.isArray(value)) {
    for (const [index, text] of value.entries())
      if (text !== null) checkShape(text, 'text', at + toPointer(index), findings);
  } else if (shape === 'time' && typeof value === 'string') {
    if (parseTimestamp(value) === undefined)
      findings.error(at, 'metadata', invalidValue(value, `parsing time ${quoted(value)}`));
  } else if (!isOf(value, shape)) wrong();
}

function isOf(value: Json, shape: string): boolean {
  if (shape === 'any') return true;
  if (shape === 'integer') return typeof value === 'number' && isInteger(value);
  return shape === 'text' ? typeof value === 'string' : shape === 'boolean' && typeof value === 'boolean';
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
