import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { parseFlag } from '../core/schema/input-fields.js';
import { type DesignImport, isSaved } from './design.inputs.js';
import type { ClusterQuery } from './from-cluster/cluster-contents.js';

const MAX_NAMESPACES = 50;
const MAX_KINDS = 100;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const KIND = /^[A-Za-z][A-Za-z0-9]{0,62}(?:\.[a-z0-9.-]{1,253})?$/;

/** Fields of an import that are about a file. */
const OF_FILES = [
  'id',
  'name',
  'type',
  'url',
  'file',
  'file_name',
  'path',
  'values',
  'env',
  'namespace',
  'release_name',
  'kube_version',
  'api_versions',
  'message',
] as const;
/** Fields of an import that are about a cluster. */
const OF_CLUSTERS = ['namespaces', 'selector', 'kinds', 'include_owned'] as const;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** The query of an import from a cluster; undefined for the import of a file. @throws InvalidRequest naming each field that does not fit */
export function parseClusterQuery(input: DesignImport, hasFiles: boolean): ClusterQuery | undefined {
  const { connection_id: connectionId } = input;
  const faults: Fault[] = [];
  if (!connectionId) {
    for (const name of OF_CLUSTERS)
      if (isGiven(input[name])) faults.push({ pointer: `/${name}`, detail: 'is for an import from a connection_id' });
    throwIfAny(faults, 'Send connection_id, or leave these fields out.');
    return undefined;
  }
  if (hasFiles) faults.push({ pointer: '/file', detail: 'cannot be beside connection_id' });
  for (const name of OF_FILES)
    if (isGiven(input[name])) faults.push({ pointer: `/${name}`, detail: 'cannot be beside connection_id' });
  const namespaces = input.namespaces === 'all' ? 'all' : parseList('namespaces', input.namespaces, faults);
  if (input.namespaces === undefined) faults.push({ pointer: '/namespaces', detail: 'is required: names, or "all"' });
  const kinds = input.kinds === undefined ? undefined : parseList('kinds', input.kinds, faults);
  throwIfAny(faults, 'Import either a file or what runs in namespaces of a connection.');
  return {
    connectionId,
    namespaces,
    selector: input.selector || undefined,
    kinds,
    includesOwned: parseFlag(input.include_owned, false),
    isPreview: !isSaved(input),
  };
}

/** The different entries of a list, in their order. */
function parseList(field: 'namespaces' | 'kinds', list: unknown, faults: Fault[]): string[] {
  if (list === undefined) return [];
  const [form, most, detail] =
    field === 'namespaces'
      ? [NAMESPACE, MAX_NAMESPACES, 'must be the name of a namespace']
      : [KIND, MAX_KINDS, 'must be a kind, such as Deployment or deployments.apps'];
  if (!Array.isArray(list) || list.length === 0 || list.length > most) {
    const words = field === 'namespaces' ? `1 to ${most} names, or "all"` : `a list of 1 to ${most} kinds`;
    faults.push({ pointer: `/${field}`, detail: `must be ${words}` });
    return [];
  }
  for (const [index, one] of list.entries())
    if (typeof one !== 'string' || !form.test(one)) faults.push({ pointer: `/${field}/${index}`, detail });
  return [...new Set(list as string[])];
}

function throwIfAny(errors: Fault[], remedy: string): void {
  if (errors.length === 0) return;
  throw new InvalidRequest(errors.map(({ pointer = '', detail }) => `${pointer.slice(1)} ${detail}`).join('; '), {
    errors,
    remedy,
  });
}
