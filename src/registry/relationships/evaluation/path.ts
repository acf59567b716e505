import { isObject, type Json, pointerTo } from '../../../formats/located.js';

/** A path into a component, from its root. `*` stands for every item of a list and every member of an object. */
export type Path = readonly string[];

/** A value, and where it stands in its component (RFC 6901). */
export interface Place {
  value: Json;
  pointer: string;
}

export const ANY = '*';
const TOKEN = /\.?(?:(\[\*\])|\[(\d+)\]|\['([^']*)'\]|([^.[\]']+))/y;
const LONGEST = 40;

/**
 * Reads a path in one of its two forms: segments from the root of the component (`["configuration", "spec", "containers", "_", "name"]`,
 * the field's own), or text from the root of the resource (`spec.containers[*].name`, `metadata.labels['app.kubernetes.io/name']`, `$pod.spec`).
 * Undefined is what is neither.
 */
export function readPath(value: Json | undefined): Path | undefined {
  if (typeof value === 'string') return readText(value);
  if (!Array.isArray(value) || value.length === 0 || value.length > LONGEST) return undefined;
  const segments = value.filter((segment) => typeof segment === 'string');
  if (segments.length < value.length) return undefined;
  const [first = '', ...rest] = segments.map((segment) => (segment === '_' ? ANY : segment));
  return [ROOTS.get(first) ?? first, ...rest];
}

/** What the root members were called in the older form of a component. */
const ROOTS = new Map([
  ['settings', 'configuration'],
  ['name', 'displayName'],
]);

function readText(text: string): Path | undefined {
  const segments = readSteps(text);
  if (segments === undefined) return undefined;
  return segments[0]?.startsWith('$') === true ? segments : ['configuration', ...segments];
}

/** As readPath, for text that starts at any place: `name`, `spec.name`; empty text is that place itself. */
export function readSteps(text: string): Path | undefined {
  const segments: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const [, any, index, quoted, plain] = TOKEN.exec(text) ?? [];
    const segment = any === undefined ? (index ?? quoted ?? plain) : ANY;
    if (segment === undefined || segments.length === LONGEST) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** Every value at a path below a place. Only own members are looked at, and null is no value. */
export function placesBelow({ value, pointer }: Place, path: Path, depth = 0): Place[] {
  const segment = path[depth];
  if (segment === undefined) return value === null ? [] : [{ value, pointer }];
  const below = (key: string | number, member: Json): Place[] =>
    placesBelow({ value: member, pointer: pointer + pointerTo(key) }, path, depth + 1);
  if (Array.isArray(value)) {
    if (segment === ANY) return value.flatMap((item, index) => below(index, item));
    const item = /^(?:0|[1-9]\d{0,8})$/.test(segment) ? value[Number(segment)] : undefined;
    return item === undefined ? [] : below(Number(segment), item);
  }
  if (!isObject(value)) return [];
  if (segment === ANY) return Object.entries(value).flatMap(([key, member]) => below(key, member));
  const member = Object.hasOwn(value, segment) ? value[segment] : undefined;
  return member === undefined ? [] : below(segment, member);
}

/** A pointer as people read it: `/configuration/spec/rules/0/host` is `spec.rules[0].host`. */
export function readable(pointer: string): string {
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
