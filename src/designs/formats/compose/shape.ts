import { type Json, isObject } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { findClosestName } from '../../../core/closest-name.js';

/** The allowed values in a Compose file. Alternatives of `either` differ in their JSON type, so that a fault can name the intended one. */
export type Shape =
  | { type: 'text'; accepts?: (text: string) => boolean; example?: string }
  | { type: 'number'; min?: number; max?: number }
  | { type: 'flag' }
  | { type: 'null' }
  | { type: 'anything' }
  | { type: 'list'; item: Shape }
  | { type: 'map'; value: Shape; keys?: RegExp }
  | { type: 'record'; fields: ReadonlyMap<string, Shape>; required: readonly string[] }
  | { type: 'either'; options: readonly Shape[] };

export const text: Shape = { type: 'text' };
export const number: Shape = { type: 'number' };
export const flag: Shape = { type: 'flag' };
export const nothing: Shape = { type: 'null' };
export const anything: Shape = { type: 'anything' };
export const list = (item: Shape): Shape => ({ type: 'list', item });
export const map = (value: Shape, keys?: RegExp): Shape => ({ type: 'map', value, keys });
export const either = (...options: Shape[]): Shape => ({ type: 'either', options });
export const record = (fields: Record<string, Shape>, ...required: string[]): Shape => ({
  type: 'record',
  fields: new Map(Object.entries(fields)),
  required,
});
export const choice = (...values: string[]): Shape => ({
  type: 'text',
  accepts: (value) => values.includes(value),
  example: `one of ${values.join(', ')}`,
});
export const textLike = (accepts: (text: string) => boolean, example: string): Shape => ({
  type: 'text',
  accepts,
  example,
});

/** Receives faults; the remedy is computed only on demand. */
export type ReportShapeFault = (pointer: string, detail: string, remedy?: () => string) => void;

/** Validates a value against a shape and reports every fault. Values for which `skip` answers true are ignored. */
export function checkShape(
  shape: Shape,
  value: Json,
  report: ReportShapeFault,
  skip: (pointer: string) => boolean = () => false,
  pointer = '',
): void {
  if (skip(pointer)) return;
  const go = (inner: Shape, member: Json, segment: string | number): void =>
    checkShape(inner, member, report, skip, pointer + toPointer(segment));
  switch (shape.type) {
    case 'anything':
      return;
    case 'either': {
      const option = shape.options.find((candidate) => fits(candidate, value));
      if (option) checkShape(option, value, report, skip, pointer);
      else wrongType(shape, value, pointer, report);
      return;
    }
    case 'text':
      if (typeof value !== 'string') wrongType(shape, value, pointer, report);
      else if (shape.accepts && !shape.accepts(value)) {
        report(pointer, `"${shorten(value)}" is not ${shape.example}`, () => `Write ${shape.example}.`);
      }
      return;
    case 'number':
      if (typeof value !== 'number') wrongType(shape, value, pointer, report);
      else if (value < (shape.min ?? -Infinity) || value > (shape.max ?? Infinity)) {
        report(pointer, `${value} is not between ${shape.min ?? '-∞'} and ${shape.max ?? '∞'}`);
      }
      return;
    case 'flag':
    case 'null':
      if (!fits(shape, value)) wrongType(shape, value, pointer, report);
      return;
    case 'list':
      if (!Array.isArray(value)) wrongType(shape, value, pointer, report);
      else value.forEach((item, index) => go(shape.item, item, index));
      return;
    case 'map':
      if (!isObject(value)) return wrongType(shape, value, pointer, report);
      for (const [key, member] of Object.entries(value)) {
        if (key.startsWith('x-')) continue;
        if (shape.keys && !shape.keys.test(key)) {
          report(
            pointer + toPointer(key),
            `"${shorten(key)}" is not a valid name`,
            () => 'Names have letters, digits, "_", "." and "-".',
          );
        } else go(shape.value, member, key);
      }
      return;
    case 'record':
      if (!isObject(value)) return wrongType(shape, value, pointer, report);
      for (const [key, member] of Object.entries(value)) {
        const field = shape.fields.get(key);
        if (field) go(field, member, key);
        else if (!key.startsWith('x-')) {
          report(pointer + toPointer(key), `"${shorten(key)}" is not a key of ${toDottedPath(pointer)}`, () =>
            remedyFor(key, shape.fields),
          );
        }
      }
      for (const key of shape.required) {
        if (!Object.hasOwn(value, key))
          report(pointer, `${toDottedPath(pointer)} needs "${key}"`, () => `Add "${key}".`);
      }
  }
}

function remedyFor(key: string, fields: ReadonlyMap<string, Shape>): string {
  const closest = findClosestName(key, fields.keys());
  const own = 'Keys of your own start with "x-".';
  return closest === undefined ? `Remove it. ${own}` : `Did you mean "${closest}"? ${own}`;
}

/** Scalars as Compose writes them. */
export function scalarText(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A boolean, or the words that Compose takes for one. */
export function parseBoolean(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(true|y|yes|on)$/i.test(value)) return true;
  return /^(false|n|no|off)$/i.test(value) ? false : undefined;
}

function fits(shape: Shape, value: Json): boolean {
  switch (shape.type) {
    case 'anything':
      return true;
    case 'either':
      return shape.options.some((option) => fits(option, value));
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'flag':
      return parseBoolean(value) !== undefined;
    case 'null':
      return value === null;
    case 'list':
      return Array.isArray(value);
    case 'map':
    case 'record':
      return isObject(value);
  }
}

function wrongType(shape: Shape, value: Json, pointer: string, report: ReportShapeFault): void {
  const wanted = shapeName(shape);
  const quotable = wanted.startsWith('text') && typeof value !== 'object';
  const isListed = Array.isArray(value) && wanted.startsWith('a mapping');
  const otherwise = isListed ? 'Write each entry below its name, as in "web: {image: nginx}".' : `Write ${wanted}.`;
  const remedy = (): string => (quotable ? `Put it in quotes: "${value}".` : otherwise);
  report(pointer, `${toDottedPath(pointer)} must be ${wanted}, not ${valueTypeName(value)}`, remedy);
}

function shapeName(shape: Shape): string {
  const names: Record<Exclude<Shape['type'], 'either'>, string> = {
    text: 'text',
    number: 'a number',
    flag: 'true or false',
    null: 'empty',
    anything: 'anything',
    list: 'a list',
    map: 'a mapping',
    record: 'a mapping',
  };
  if (shape.type !== 'either') return names[shape.type];
  return [...new Set(shape.options.map(shapeName))].join(' or ');
}

function valueTypeName(value: Json): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return { object: 'a mapping', string: 'text', number: 'a number', boolean: 'true or false' }[
    typeof value as 'object' | 'string' | 'number' | 'boolean'
  ];
}

/** `/services/web/ports/0` → `services.web.ports[0]`. */
export function toDottedPath(pointer: string): string {
  if (pointer === '') return 'the file';
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((segment, index) => (/^\d+$/.test(segment) ? `[${segment}]` : index === 0 ? segment : `.${segment}`))
    .join('');
}

function shorten(value: string): string {
  return value.length > 80 ? `${value.slice(0, 80)}…` : value;
}
