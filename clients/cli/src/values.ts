import { readFile } from 'node:fs/promises';
import { Failure, WrongUse } from './failure.js';
import { parseYaml } from './yaml.js';

type Values = Record<string, unknown>;

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values of files and of --set, the later over the earlier; null without any. */
export async function mergeValues(files: readonly string[], settings: readonly string[]): Promise<Values | null> {
  if (files.length === 0 && settings.length === 0) return null;
  let values: Values = {};
  for (const file of files) {
    values = merge(values, await parseFile(file, await readFile(file, 'utf8')));
  }
  for (const setting of settings) setValue(values, setting);
  return values;
}

async function parseFile(file: string, text: string): Promise<Values> {
  const read = (await parseYaml(text, file)) ?? {};
  if (isMap(read)) return read;
  throw new Failure(`${file} has no values: it is not a map`, 'Write it as the values.yaml of the chart.');
}

function merge(base: Values, over: Values): Values {
  const merged: Values = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    define(merged, key, isMap(below) && isMap(value) ? merge(below, value) : value);
  }
  return merged;
}

/** Also a key such as __proto__ is a value, and nothing else. */
const define = (target: Values, key: string, value: unknown): void =>
  void Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });

/** Sets `a.b.0.c=value`; a point that belongs to a key has a backslash before it. */
export function setValue(target: Values, setting: string): void {
  const split = setting.indexOf('=');
  if (split < 1) throw new WrongUse(`${setting} is no setting`, 'Write it as --set key=value.');
  const path = setting
    .slice(0, split)
    .split(/(?<!\\)\./)
    .map((part) => part.replaceAll('\\.', '.'));
  if (path.some((part) => part === ''))
    throw new WrongUse(`${setting} has an empty key`, 'Write it as --set key=value.');
  let place = target;
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(place, key) || !isMap(place[key])) define(place, key, {});
    place = place[key] as Values;
  }
  define(place, path.at(-1) ?? '', parseValue(setting.slice(split + 1)));
}

/** JSON where it is some, such as 3, true, null, "3" or ["a"], else text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
