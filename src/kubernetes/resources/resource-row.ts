import { hash } from 'node:crypto';
import { validate } from 'uuid';
import { toJsonb } from '../../core/json/jsonb.js';
import { isObjectCopy } from '../../formats/design-file/object-copy.js';
import { maskSecrets } from '../../formats/design-file/secret-values.js';
import type { ResourceKind } from '../clusters/discovery.js';
import type { KubernetesObject, ObjectMeta } from '../clusters/kubernetes-object.js';
import { findAppliedFields, parseOwnerLabels } from '../clusters/owner-labels.js';
import type { AppliedFields } from './applied-fields.js';
import { assessHealth } from './health/health.js';
import type { HealthStatus } from './health/health-status.js';
import { isHistoryKind } from './watch/watched-kinds.js';

/** An object in the form of its database row. */
export interface ResourceRow {
  namespace: string;
  name: string;
  uid: string;
  owner_uid: string | null;
  resource_version: string;
  labels: Record<string, string>;
  health: HealthStatus | null;
  health_message: string | null;
  installation_id: string | null;
  design_id: string | null;
  environment_id: string | null;
  applied_fields: AppliedFields | null;
  applied_digest: string | null;
  /** JSON in UTF-8. */
  content: Uint8Array;
  omitted: string[];
  created_at: string;
  /** Of all that is stored: an object with the digest that is stored already need not be written. */
  digest: string;
}

/** An object that a watch received. */
export interface SeenResource {
  row: ResourceRow;
  /** The whole object, needed to compare fields that this server applied earlier; null when it applied none. */
  applied: KubernetesObject | null;
  /** The applied fields of earlier states that were replaced before they were stored. */
  appliedBefore: AppliedFields | null;
}

/** The maximum size of a stored object as JSON; most have a tenth of it. */
const MAX_CONTENT = 64 * 1024;
const MAX_LABELS = 100;
const MAX_VALUE = 4 * 1024;
/** In base64: 132 bits. */
const DIGEST_LENGTH = 22;

/** Converts an object to its row: limited in size and without secrets. */
export function toResourceRow(kind: ResourceKind, object: KubernetesObject): ResourceRow {
  const { metadata } = object;
  const owner = parseOwnerLabels(object);
  const health = assessHealth(object);
  const controller = metadata.ownerReferences?.find((one) => one?.controller);
  const isIdentityOnly = isHistoryKind(object) && owner === undefined;
  const bounded = boundContent(isIdentityOnly ? identityOf(object) : withoutSecrets(kind, object));
  const version = isIdentityOnly ? '' : text(metadata.resourceVersion);
  return {
    namespace: text(metadata.namespace),
    name: metadata.name,
    uid: text(metadata.uid),
    owner_uid: text(controller?.uid) || null,
    resource_version: version,
    labels: boundLabels(metadata),
    health: health?.status ?? null,
    health_message: health?.message ?? null,
    installation_id: toUuid(owner?.installation),
    design_id: toUuid(owner?.design),
    environment_id: toUuid(owner?.environment),
    applied_fields: null,
    applied_digest: null,
    content: Buffer.from(bounded.content),
    omitted: bounded.omitted,
    created_at: toTime(metadata.creationTimestamp),
    digest: digestOf(version, health?.status ?? '', health?.message ?? '', bounded.content),
  };
}

const digestOf = (...parts: string[]): string => hash('sha256', parts.join('\0'), 'base64url').slice(0, DIGEST_LENGTH);

/** What is stored of an object whose content another one has. */
function identityOf({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, labels, ownerReferences, creationTimestamp, deletionTimestamp } = metadata;
  const identity = { name, namespace, uid, labels, ownerReferences, creationTimestamp, deletionTimestamp };
  return { apiVersion, kind, metadata: identity };
}

export function toSeenResource(kind: ResourceKind, object: KubernetesObject): SeenResource {
  const isApplied = findAppliedFields(object) !== undefined || parseOwnerLabels(object) !== undefined;
  return { row: toResourceRow(kind, object), applied: isApplied ? object : null, appliedBefore: null };
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_VALUE) : '');

const toUuid = (value: string | undefined): string | null => (validate(value) ? (value ?? null) : null);

function toTime(value: unknown): string {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return new Date(time >= 0 && time < 8.64e14 ? time : Date.now()).toISOString();
}

function boundLabels({ labels }: ObjectMeta): Record<string, string> {
  const kept = Object.entries(labels ?? {}).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(kept.slice(0, MAX_LABELS).map(([name, value]) => [name, value.slice(0, MAX_VALUE)]));
}

/**
 * Removes managed fields and annotations with copies of the object, and hides values of environment variables. Of a
 * Secret it keeps the sizes of data and the names of annotations, in which tools store copies.
 */
export function withoutSecrets(kind: Pick<ResourceKind, 'group' | 'kind'>, object: KubernetesObject): KubernetesObject {
  const { managedFields: _, annotations, ...metadata } = object.metadata;
  const isSecret = kind.kind === 'Secret';
  const kept = Object.entries(annotations ?? {})
    .filter(([, value]) => !isObjectCopy(value))
    .map(([name, value]): [string, string] => [name, isSecret ? toSize(value) : value]);
  const whole = {
    ...object,
    metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
  } as KubernetesObject;
  if (!isSecret) return maskSecrets(kind.kind, [], whole) as KubernetesObject;
  const { data, type, immutable } = whole as { data?: unknown; type?: unknown; immutable?: unknown };
  return {
    apiVersion: whole.apiVersion,
    kind: whole.kind,
    metadata: whole.metadata,
    ...(typeof type === 'string' && { type }),
    ...(typeof immutable === 'boolean' && { immutable }),
    data: Object.fromEntries(
      Object.entries((typeof data === 'object' && data) || {}).map(([name, value]) => [name, toSize(value, 'base64')]),
    ),
  };
}

function toSize(value: unknown, encoding: 'utf8' | 'base64' = 'utf8'): string {
  return typeof value === 'string' ? `${Buffer.byteLength(value, encoding)} bytes` : '0 bytes';
}

/** Serializes the content; when it is too large, omits the largest parts and lists their pointers. */
function boundContent(content: KubernetesObject): { content: string; omitted: string[] } {
  const whole = toJsonb(content) ?? '{}';
  if (whole.length <= MAX_CONTENT) return { content: whole, omitted: [] };
  const { apiVersion, kind, metadata, ...others } = content;
  const { name, namespace, uid, labels, annotations, ...rest } = metadata;
  const kept: Record<string, unknown> = { apiVersion, kind, metadata: { name, namespace, uid } };
  const omitted: string[] = [];
  let room = MAX_CONTENT - 4 * 1024;
  const keep = (into: Record<string, unknown>, path: string, fields: Record<string, unknown>): void => {
    const sized = Object.entries(fields)
      .map(([field, value]) => ({ field, value, size: (toJsonb(value) ?? '').length + field.length }))
      .sort((a, b) => a.size - b.size);
    for (const { field, value, size } of sized) {
      const pointer = `${path}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (size <= room) {
        into[field] = value;
        room -= size;
      } else if (path === '' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
        const inner: Record<string, unknown> = {};
        into[field] = inner;
        keep(inner, pointer, value as Record<string, unknown>);
      } else if (omitted.length < 100) omitted.push(pointer.slice(0, 500));
    }
  };
  keep(kept['metadata'] as Record<string, unknown>, '/metadata', { labels, annotations, ...rest });
  keep(kept, '', others);
  return { content: toJsonb(kept) ?? '{}', omitted };
}
