import { isObject, type Json } from '../../../core/json/json.js';
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

/** Every value at a path below a value. Only own members are read, and null is no value. */
export function findValuesAt({ value, pointer }: LocatedValue, path: ComponentPath, depth = 0): LocatedValue[] {
  const segment = path[depth];
  if (segment === undefined) return value === null ? [] : [{ value, pointer }];
  const below = (key: string | number, member: Json): LocatedValue[] =>
    findValuesAt({ value: member, pointer: pointer + toPointer(key) }, path, depth + 1);
  if (Array.isArray(value)) {
    if (segment === WILDCARD) return value.flatMap((item, index) => below(index, item));
    const item = /^(?:0|[1-9]\d{0,8})$/.test(segment) ? value[Number(segment)] : undefined;
    return item === undefined ? [] : below(Number(segment), item);
  }
  if (!isObject(value)) return [];
  if (segment === WILDCARD) return Object.entries(value).flatMap(([key, member]) => below(key, member));
  const member = Object.hasOwn(value, segment) ? value[segment] : undefined;
  return member === undefined ? [] : below(segment, member);
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
