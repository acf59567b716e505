import { findLargeIntegers, isInt64, largeIntegerDigits } from '../../core/json/large-integers.js';
import { type Fault } from '../../core/errors/app-error.js';
import { asObject, asText, isObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { toPointer } from '../../core/json/json-pointer.js';

/** One resource of a manifest, and its location. */
export interface LocatedResource {
  document: LocatedDocument;
  /** Pointer to the resource in its document: empty, or an item of a List. */
  pointer: string;
  resource: JsonObject;
}

/** Whether a value is meant as a Kubernetes resource, even when it is a faulty one. */
export function looksLikeResource(value: Json): boolean {
  if (!isObject(value)) return false;
  const { apiVersion, kind, metadata, schemaVersion } = value;
  if (schemaVersion !== undefined || isKustomization(value)) return false;
  if (apiVersion !== undefined && kind !== undefined) return true;
  const body = ['metadata', 'spec', 'data', 'items', 'rules', 'subsets', 'stringData'].some((key) =>
    isObject(value[key]),
  );
  return (apiVersion !== undefined && body) || (kind !== undefined && isObject(metadata));
}

/** A Kustomization or a component of one: input of a program, and unknown to clusters. */
export function isKustomization(value: Json): boolean {
  if (!isObject(value)) return false;
  const { apiVersion } = value;
  return typeof apiVersion === 'string' && apiVersion.startsWith('kustomize.config.k8s.io/');
}

/** The resources of a document, with Lists expanded at every depth; faults for items that are no resources. */
export function readResources(document: LocatedDocument): { resources: LocatedResource[]; faults: Fault[] } {
  const resources: LocatedResource[] = [];
  const faults: Fault[] = [];
  const visit = (value: Json, pointer: string, list?: JsonObject): void => {
    if (!isObject(value)) {
      const remedy = Array.isArray(value) ? 'Put the items below "items" of a "kind: List".' : undefined;
      faults.push(locatedFault(document, pointer, pointer === '' ? 'is not a resource' : 'is not an object', remedy));
      return;
    }
    const { kind, items } = value;
    if (Array.isArray(items) && typeof kind === 'string' && kind.endsWith('List')) {
      items.forEach((item, index) => visit(item, pointer + toPointer('items', index), value));
    } else if (kind === 'List') {
      faults.push(locatedFault(document, `${pointer}/items`, 'must be a list'));
    } else {
      resources.push({ document, pointer, resource: withListType(value, list) });
    }
  };
  visit(document.value, '');
  return { resources, faults };
}

/** Faults that a cluster would refuse for any kind. */
export function findResourceFaults({ document, pointer, resource }: LocatedResource): Fault[] {
  const faults: Fault[] = [];
  const fault = (field: string, detail: string, remedy: string): void => {
    faults.push(locatedFault(document, pointer + field, detail, remedy));
  };
  const { apiVersion, kind, metadata } = resource;
  if (apiVersion === undefined || apiVersion === null) {
    fault('/apiVersion', 'is missing', 'Add the version of the API, such as "apiVersion: apps/v1".');
  } else if (typeof apiVersion !== 'string' || !/^[^\s/]+(?:\/[^\s/]+)?$/.test(apiVersion)) {
    fault('/apiVersion', 'must be text of the form "v1" or "group/v1"', 'Write it as in "apiVersion: apps/v1".');
  }
  if (kind === undefined || kind === null) fault('/kind', 'is missing', 'Add the kind, such as "kind: Deployment".');
  else if (typeof kind !== 'string' || !/^\S+$/.test(kind))
    fault('/kind', 'must be one word', 'Write it as in "kind: Pod".');
  if (metadata === undefined || metadata === null) {
    fault('/metadata/name', 'is missing', 'Give the resource a name below "metadata".');
  } else if (!isObject(metadata)) {
    fault('/metadata', 'must be an object', 'Write "metadata:" with "name:" below it.');
  } else {
    faults.push(...findMetadataFaults(document, `${pointer}/metadata`, metadata));
  }
  for (const [field, digits] of findLargeIntegers(resource))
    if (!isInt64(digits))
      fault(
        field,
        'has more than the 64 bits of an integer in Kubernetes',
        'Quote it if it is a name or an identifier.',
      );
  return faults;
}

function findMetadataFaults(document: LocatedDocument, pointer: string, metadata: JsonObject): Fault[] {
  const faults: Fault[] = [];
  const { name, generateName } = metadata;
  for (const field of ['name', 'generateName', 'namespace']) {
    const value = metadata[field] ?? '';
    if (typeof value === 'string' && largeIntegerDigits(value) === undefined) continue;
    faults.push(locatedFault(document, `${pointer}/${field}`, ...describeNonText(value)));
  }
  if ((name ?? '') === '' && (generateName ?? '') === '') {
    faults.push(
      locatedFault(document, `${pointer}/name`, 'is missing', 'Give the resource a name, or a "generateName".'),
    );
  }
  for (const field of ['labels', 'annotations']) {
    const value = metadata[field] ?? {};
    if (!isObject(value)) faults.push(locatedFault(document, `${pointer}/${field}`, 'must be an object'));
  }
  return faults;
}

/** The fault and remedy of a value that must be text. */
function describeNonText(value: Json): [detail: string, remedy: string] {
  if (isObject(value) || Array.isArray(value)) return ['must be text', 'Write it as text.'];
  if (typeof value !== 'boolean')
    return ['must be text', `Put ${largeIntegerDigits(value) ?? JSON.stringify(value)} in quotes.`];
  const words = value ? 'y, yes, on and true' : 'n, no, off and false';
  return [`must be text and is a boolean: YAML reads ${words} as ${value}`, 'Put the word in quotes.'];
}

/** Values that are easily corrected later: labels and annotations that are not text, and owners on another cluster. */
export function findResourceWarnings({ document, pointer, resource }: LocatedResource): Fault[] {
  const { metadata } = resource;
  if (!isObject(metadata)) return [];
  return [...findTextWarnings(document, pointer, metadata), ...findOwnerWarnings(document, pointer, metadata)];
}

/** A cluster deletes an object when none of the owners that it names by their uid is there. */
function findOwnerWarnings(document: LocatedDocument, pointer: string, { ownerReferences }: JsonObject): Fault[] {
  if (!Array.isArray(ownerReferences) || ownerReferences.length === 0) return [];
  const at = pointer + toPointer('metadata', 'ownerReferences');
  const owners = ownerReferences.slice(0, 3).map((owner) => {
    const { kind, name } = asObject(owner);
    return `${asText(kind) || 'an object'} ${asText(name)}`.trim().slice(0, 100);
  });
  const detail = `names owners by the uid that they have on the cluster it was read from: ${owners.join(', ')}. Another cluster deletes the object, because it has no such owner`;
  return [
    locatedFault(document, at, detail, 'Remove ownerReferences; what a controller makes needs no place in a design.'),
  ];
}

function findTextWarnings(document: LocatedDocument, pointer: string, metadata: JsonObject): Fault[] {
  return ['labels', 'annotations'].flatMap((field) => {
    const map = metadata[field];
    return Object.entries(isObject(map) ? map : {}).flatMap(([key, value]) => {
      if ((typeof value === 'string' && !largeIntegerDigits(value)) || value === null) return [];
      const at = pointer + toPointer('metadata', field, key);
      const [detail, remedy] = describeNonText(value);
      return [locatedFault(document, at, `${detail}; a cluster refuses it`, remedy)];
    });
  });
}

/** Adds the document and the field to a fault, which line and column alone do not show. */
export function locatedFault(document: LocatedDocument, pointer: string, detail: string, remedy?: string): Fault {
  const field = pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  return document.faultAt(pointer, `document ${document.number}: ${field === '' ? 'it' : field} ${detail}`, remedy);
}

/** An item of a typed list (`ConfigMapList`) may omit what the list states. */
function withListType(resource: JsonObject, list?: JsonObject): JsonObject {
  const kind = typeof list?.['kind'] === 'string' ? list['kind'].slice(0, -'List'.length) : '';
  if (!list || kind === '') return resource;
  const { apiVersion } = list;
  return { ...(apiVersion === undefined ? {} : { apiVersion }), kind, ...resource };
}
