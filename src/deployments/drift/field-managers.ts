import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, ManagedFields } from '../../kubernetes/clusters/kubernetes-object.js';
import { FIELD_MANAGER } from '../plan/owner.js';

/** Who last wrote a field, as the API server knows it. */
export interface FieldWriter {
  manager: string;
  at: string | null;
}

/**
 * Who else wrote the field at a path of the live object, from its managed fields (FieldsV1); null when nobody holds it, such as
 * of a field that was removed.
 */
export function findFieldWriter(live: KubernetesObject, path: readonly string[]): FieldWriter | null {
  const others = (live.metadata.managedFields ?? []).filter(
    ({ manager, operation }) => !(manager === FIELD_MANAGER && operation === 'Apply'),
  );
  const holders = others.filter((entry) => holds(entry.fieldsV1, live, path));
  const [latest] = holders.sort((a, b) => toTime(b) - toTime(a));
  return latest?.manager ? { manager: latest.manager, at: latest.time ?? null } : null;
}

const toTime = ({ time }: ManagedFields): number => Date.parse(time ?? '') || 0;

/** Whether a set of fields has the one at the path, or a whole that it is part of. */
function holds(fields: unknown, value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (typeof fields !== 'object' || fields === null) return false;
  const set = fields as Record<string, unknown>;
  if (name === undefined) return true;
  const members = Object.keys(set).filter((key) => key !== '.');
  if (members.length === 0) return true;
  if (Array.isArray(value)) {
    const item = (value as unknown[])[Number(name)];
    const key = members.find((one) => standsFor(one, item, name));
    return key !== undefined && holds(set[key], item, rest);
  }
  const field = `f:${name}`;
  if (!Object.hasOwn(set, field)) return false;
  const inner = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return holds(set[field], inner, rest);
}

/** Items of lists are named by their key fields, their value or their index. */
function standsFor(key: string, item: unknown, index: string): boolean {
  const [type, text] = [key.slice(0, 2), key.slice(2)];
  if (type === 'i:') return text === index;
  let wanted: unknown;
  try {
    wanted = JSON.parse(text);
  } catch {
    return false;
  }
  if (type === 'v:') return isDeepStrictEqual(wanted, item);
  if (type !== 'k:' || typeof item !== 'object' || item === null || typeof wanted !== 'object') return false;
  return Object.entries(wanted ?? {}).every(([name, value]) =>
    isDeepStrictEqual((item as Record<string, unknown>)[name] ?? DEFAULTS[name], value),
  );
}

/** Key fields that objects need not name. */
const DEFAULTS: Record<string, unknown> = { protocol: 'TCP' };
