import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { parseExactJson } from '../../core/json/large-integers.js';
import { isObjectCopy } from '../../formats/design-file/object-copy.js';
import { SEALED_VALUE } from '../../formats/design-file/secret-values.js';
import {
  type FieldSet,
  indexMembers,
  isFieldSet,
  membersOf,
  uniteFieldSets,
} from '../../kubernetes/clusters/field-set.js';
import {
  groupOf,
  type KubernetesObject,
  managedFieldsOf,
  type ObjectMetadata,
} from '../../kubernetes/clusters/kubernetes-object.js';
import { OWNER_LABEL_PREFIX } from '../../kubernetes/clusters/owner-labels.js';
import { type DefaultRule, findDefaults } from './default-values.js';
import { isOfAuthor } from './left-out.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Labels and annotations with which tools mark objects as theirs, or keep what they last applied. */
const MARKS =
  /^(?:meta\.helm\.sh\/|argocd\.argoproj\.io\/(?:tracking-id|instance)$|(?:kustomize|helm)\.toolkit\.fluxcd\.io\/|objectset\.rio\.cattle\.io\/|[^/]+\/last-(?:applied|handled)(?:-configuration)?$)/;

/**
 * An object as its authors want it: without what the API server, defaulting and controllers have added, without its namespace, and with
 * placeholders for the values of a Secret.
 */
export function toAuthoredObject(object: KubernetesObject): JsonObject {
  const { apiVersion, kind } = object;
  const fields = findAuthoredFields(object);
  const kept = (fields ? keepFields(object, fields) : object) as Partial<KubernetesObject>;
  const { apiVersion: _version, kind: _kind, metadata: authored, status: _status, ...rest } = kept;
  const applied = managedFieldsOf(object).filter((entry) => entry.operation === 'Apply' && isOfAuthor(entry));
  const said = {
    said: parseLastApplied(object),
    applied: uniteFieldSets(applied.map(({ fieldsV1 }) => fieldsV1 ?? {})),
  };
  const rule = findDefaults(kind, groupOf(apiVersion));
  const own = rule === undefined ? rest : omitDefaults(rest, rule, said);
  const labels = withoutMarks(authored?.labels);
  const annotations = withoutMarks(authored?.annotations, isSecretObject(object) ? isObjectCopy : undefined);
  const whole = {
    apiVersion,
    kind,
    metadata: { name: object.metadata.name, ...(labels && { labels }), ...(annotations && { annotations }) },
    ...(own as object | undefined),
  };
  return (isSecretObject(object) ? sealValues(whole) : whole) as JsonObject;
}

const isSecretObject = ({ apiVersion, kind }: ObjectMetadata): boolean => kind === 'Secret' && apiVersion === 'v1';

/**
 * The fields that authors have set; undefined where that cannot be told: without managed fields, or when one has written the object in
 * another version of its kind, whose fields are others.
 */
function findAuthoredFields(object: KubernetesObject): FieldSet | undefined {
  const entries = managedFieldsOf(object).filter(isOfAuthor);
  if (entries.length === 0 || entries.some(({ apiVersion }) => apiVersion !== object.apiVersion)) return undefined;
  return uniteFieldSets(entries.map(({ fieldsV1 }) => fieldsV1 ?? {}));
}

/** The value with only these fields. */
function keepFields(value: unknown, fields: FieldSet): unknown {
  if (membersOf(fields).length === 0) return value;
  const keep = (member: string | undefined, inner: unknown): unknown[] => {
    const below = member === undefined ? undefined : fields[member];
    return isFieldSet(below) ? [keepFields(inner, below)] : [];
  };
  if (Array.isArray(value)) {
    const find = indexMembers(fields);
    return value.flatMap((item: unknown, index) => keep(find(item, index), item));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const member = `f:${name}`;
      return Object.hasOwn(fields, member) ? keep(member, inner).map((left) => [name, left]) : [];
    }),
  );
}

/** What authors have said by themselves: what kubectl has recorded of a manifest, and the fields of server-side apply. */
interface Said {
  said: unknown;
  applied: FieldSet | undefined;
}

/** The value without defaults that nobody has said; undefined when nothing is left of an object. */
function omitDefaults(value: unknown, rule: DefaultRule, said: Said, within: JsonObject = {}): unknown {
  if (typeof rule === 'function') return !isSaid(said) && rule(value, within) ? undefined : value;
  if (typeof rule !== 'object') return !isSaid(said) && isDeepStrictEqual(value, rule) ? undefined : value;
  if (isListRule(rule)) {
    if (!Array.isArray(value)) return value;
    const list = value as unknown[];
    return list.map((item, index) => omitDefaults(item, rule[0], itemOf(said, list, index)) ?? {});
  }
  if (!isObject(value)) return value;
  const left = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const own = Object.hasOwn(rule, name) ? rule[name] : undefined;
    const kept = own === undefined ? inner : omitDefaults(inner, own, memberOf(said, name), value);
    return kept === undefined ? [] : [[name, kept]];
  });
  return left.length > 0 || isSaid(said) ? Object.fromEntries(left) : undefined;
}

const isListRule = (rule: object): rule is readonly [DefaultRule] => Array.isArray(rule);

const isSaid = ({ said, applied }: Said): boolean => said !== undefined || applied !== undefined;

function memberOf({ said, applied }: Said, name: string): Said {
  const member = applied?.[`f:${name}`];
  return {
    said: isObject(said) && Object.hasOwn(said, name) ? said[name] : undefined,
    applied: isFieldSet(member) ? member : undefined,
  };
}

/** Items are the same one by their name where they have one, else by their place. */
function itemOf({ said, applied }: Said, list: readonly unknown[], index: number): Said {
  const item = list[index];
  const member = applied && membersOf(applied).length > 0 ? indexMembers(applied)(item, index) : undefined;
  const below = member === undefined ? undefined : applied?.[member];
  const others = Array.isArray(said) ? (said as Json[]) : [];
  const name = isObject(item) ? item['name'] : undefined;
  const same = name === undefined ? others[index] : others.find((one) => isObject(one) && one['name'] === name);
  return { said: same, applied: isFieldSet(below) ? below : undefined };
}

function parseLastApplied({ metadata }: ObjectMetadata): unknown {
  const text = metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** @param isHidden which values are left out as well: a copy of a Secret contains its values, whatever tool keeps it */
function withoutMarks(
  marks: Record<string, string> | undefined,
  isHidden: (value: string) => boolean = () => false,
): Record<string, string> | undefined {
  const left = Object.entries(marks ?? {}).filter(
    ([name, value]) => !MARKS.test(name) && !name.startsWith(OWNER_LABEL_PREFIX) && !isHidden(value),
  );
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}

/** Nobody is shown what a cluster keeps secret: each key stays, with a placeholder for its value. */
function sealValues(secret: Record<string, unknown>): Record<string, unknown> {
  const { data } = secret;
  if (!isObject(data)) return secret;
  return { ...secret, data: Object.fromEntries(Object.keys(data).map((key) => [key, SEALED_VALUE])) };
}
