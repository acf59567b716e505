import { asText, isObject, type Json } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';

/** A path into a component, from its root. `*` matches every item of a list and every member of an object. */
export type ComponentPath = readonly string[];

/** A value, and its pointer in its component (RFC 6901). */
export interface LocatedValue {
  value: Json;
  pointer: string;
}

export const WILDCARD = '*';
const TOKEN = /\.?(?:(\[\*\])|\[(\d+)\]|\['([^']*)'\]|([^.[\]']+))/y;
const MAX_PATH_LENGTH = 40;

/**
 * Reads a path in one of its two forms: segments from the root of the component (`["configuration", "spec", "containers", "_", "name"]`,
 * the field's own), or text from the root of the resource (`spec.containers[*].name`, `metadata.labels['app.kubernetes.io/name']`, `$pod.spec`).
 * Undefined for anything else.
 */
export function parsePath(value: Json | undefined): ComponentPath | undefined {
  if (typeof value === 'string') return parseText(value);
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PATH_LENGTH) return undefined;
  const segments = value.filter((segment) => typeof segment === 'string');
  if (segments.length < value.length) return undefined;
  const [first = '', ...rest] = segments.map((segment) => (segment === '_' ? WILDCARD : segment));
  return [RENAMED_ROOTS.get(first) ?? first, ...rest];
}

/** The names of root members in the older form of a component. */
const RENAMED_ROOTS = new Map([
  ['settings', 'configuration'],
  ['name', 'displayName'],
]);

function parseText(text: string): ComponentPath | undefined {
  const segments = parseSteps(text);
  if (segments === undefined) return undefined;
  return segments[0]?.startsWith('$') === true ? segments : ['configuration', ...segments];
}

/** As parsePath, for text relative to any value: `name`, `spec.name`; empty text is the value itself. */
export function parseSteps(text: string): ComponentPath | undefined {
  const segments: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const [, any, index, quoted, plain] = TOKEN.exec(text) ?? [];
    const segment = any === undefined ? (index ?? quoted ?? plain) : WILDCARD;
    if (segment === undefined || segments.length === MAX_PATH_LENGTH) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** A place that a path leads to, with the items that its wildcards stand for; absent places have no value. */
export interface PathPlace extends ChosenPlace {
  value: Json | undefined;
  pointer: string;
}

/** The items that the wildcards of a path stand for, and the namespace that the innermost of them states; empty when none does. */
interface ChosenPlace {
  items: readonly string[];
  namespace: string;
}

/** Every place of a path below a value, in order: one for each item that a wildcard stands for. Only own members are read, and null is no value. */
export function findPlacesAt(
  { value, pointer }: LocatedValue,
  path: ComponentPath,
  chosen: ChosenPlace = { items: [], namespace: '' },
  depth = 0,
): PathPlace[] {
  const segment = path[depth];
  if (segment === undefined) return [{ value: value ?? undefined, pointer, ...chosen }];
  const below = (key: string, member: Json, through: ChosenPlace): PathPlace[] =>
    findPlacesAt({ value: member, pointer: pointer + toPointer(key) }, path, through, depth + 1);
  if (segment !== WILDCARD) {
    const member = memberOf(value, segment);
    return member === undefined ? [{ value: undefined, pointer, ...chosen }] : below(segment, member, chosen);
  }
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length === 0) return [{ value: undefined, pointer, ...chosen }];
  return members.flatMap(([key, member]) => {
    const namespace = asText(memberOf(member, 'namespace')) || chosen.namespace;
    return below(key, member, { items: [...chosen.items, key], namespace });
  });
}

/** Every value at a path below a value. */
export function findValuesAt(place: LocatedValue, path: ComponentPath): LocatedValue[] {
  return findPlacesAt(place, path).filter((found): found is PathPlace & LocatedValue => found.value !== undefined);
}

function memberOf(value: Json, segment: string): Json | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(segment) ? value[Number(segment)] : undefined;
  return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/** A pointer in readable form: `/configuration/spec/rules/0/host` is `spec.rules[0].host`. */
export function formatPointer(pointer: string): string {
  const segments = pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (segments[0] === 'configuration' && segments.length > 1) segments.shift();
  return segments.reduce((text, segment) => {
    if (/^\d+$/.test(segment)) return `${text}[${segment}]`;
    if (!/^[\w$-]+$/.test(segment)) return `${text}['${segment}']`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}
