import { type Fault } from '../../../core/errors/app-error.js';
import { type Json, isObject, type JsonObject } from '../../../core/json/json.js';
import type { LocatedDocument } from '../../../formats/documents/located-document.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { type FaultList } from '../../../formats/sources/fault-list.js';
import { InterpolationError, Interpolator } from './interpolation.js';
import { normaliseResource, normaliseService } from './long-form.js';
import { ComposeField } from './compose-field.js';
import { rebasePaths, rebaseResource } from './paths.js';
import { type ComposeSection, COMPOSE_SECTIONS } from './project.js';
import { checkShape, scalarText } from './shape.js';
import { composeFile, serviceKeys } from './specification.js';

const VARIABLE = /(?<!\$)\$\{?([A-Za-z_]\w*)/;

/** Maximum number of faults and warnings of one document that get a location; more than are ever listed. */
const MAX_LOCATED_FAULTS = 120;

export interface ComposeDocumentOptions {
  source: SourceFile | undefined;
  /** The folder that relative paths of this file start from, relative to the project directory. */
  directory: string;
  variables: ReadonlyMap<string, string>;
  /** The source of a variable, for messages. */
  origins: ReadonlyMap<string, string>;
  faults: FaultList;
  warnings: FaultList;
}

/** One Compose document: interpolated, validated against the specification, every key in its long form. */
export class ComposeDocument {
  readonly sections = new Map<ComposeSection, Map<string, JsonObject>>();
  readonly include: JsonObject[];
  readonly name: string | undefined;
  /** `version` and the `x-` keys. */
  readonly rest: JsonObject;
  private readonly old: boolean;
  private readonly lines: string[];
  private located = 0;

  constructor(
    readonly document: LocatedDocument,
    readonly options: ComposeDocumentOptions,
  ) {
    this.lines = options.source ? new TextDecoder().decode(options.source.bytes).split(/\r\n|\r|\n/) : [];
    const object = document.object ?? {};
    this.old = isOldLayout(object);
    const content = this.interpolate(this.old ? { services: object } : object);
    const checked = this.check(content);
    this.include = (Array.isArray(checked.include) ? checked.include : []).map((entry) =>
      isObject(entry) ? entry : { path: entry },
    );
    this.name = typeof checked.name === 'string' ? checked.name : undefined;
    this.rest = Object.fromEntries(
      Object.entries(checked).filter(([key]) => key === 'version' || key.startsWith('x-')),
    );
    for (const section of COMPOSE_SECTIONS) this.sections.set(section, this.members(section, checked[section]));
  }

  member(section: ComposeSection, name: string): JsonObject | undefined {
    return this.sections.get(section)?.get(name);
  }

  /** Paths below a member of a section with `!reset` or `!override`: earlier values are removed. */
  resetPaths(section: ComposeSection, name: string): string[][] {
    const start = toPointer(section, name) + '/';
    return Object.entries(this.document.data.tags)
      .filter(([pointer, tag]) => pointer.startsWith(start) && (tag === '!reset' || tag === '!override'))
      .map(([pointer]) => pointer.slice(start.length).split('/').map(unescape));
  }

  /** How many segments of a pointer exist in this document. */
  depthOf(pointer: string): number {
    let value: Json | undefined = this.document.value;
    let depth = 0;
    for (const segment of this.pointerOf(pointer).split('/').slice(1).map(unescape)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) break;
      value = Array.isArray(value) ? value[Number(segment)] : value[segment];
      depth += 1;
    }
    return depth;
  }

  /** A fault with its location; locating takes time, so it is limited for files with many faults. */
  fault(pointer: string, detail: string, remedy?: string): Fault {
    this.located += 1;
    const at = this.pointerOf(pointer);
    if (this.located <= MAX_LOCATED_FAULTS) return this.document.faultAt(at, detail + this.describeOrigin(at), remedy);
    return { pointer, detail, file: this.document.file, ...(remedy === undefined ? {} : { remedy }) };
  }

  /** The source of the variable of a value, when it is in another file. */
  private describeOrigin(pointer: string): string {
    const text = this.document.findValue(pointer);
    const [, name = ''] = typeof text === 'string' ? (VARIABLE.exec(text) ?? []) : [];
    const origin = this.options.origins.get(name);
    return origin === undefined ? '' : ` (${name} is set in ${origin})`;
  }

  private check(content: JsonObject): JsonObject {
    const reset = (pointer: string): boolean => this.document.findTag(this.pointerOf(pointer)) === '!reset';
    const bad = new Set<string>();
    checkShape(
      composeFile,
      content,
      (pointer, detail, remedy) => {
        bad.add(pointer.split('/').slice(0, 3).join('/'));
        const wanted = this.located < MAX_LOCATED_FAULTS;
        this.options.faults.add(this.fault(pointer, detail, wanted ? remedy?.() : undefined));
      },
      reset,
    );
    const resets = Object.keys(this.document.data.tags).filter((pointer) => reset(pointer));
    return prune(content, (pointer) => bad.has(pointer) || resets.includes(this.pointerOf(pointer)));
  }

  private members(section: ComposeSection, value: Json | undefined): Map<string, JsonObject> {
    const { directory, faults } = this.options;
    const place = new ComposeField(
      toPointer(section),
      (pointer, detail, remedy) => faults.add(this.fault(pointer, detail, remedy)),
      (pointer) => this.readOctal(pointer),
    );
    return new Map(
      Object.entries(isObject(value) ? value : {}).map(([name, member]) => {
        if (section !== 'services') return [name, rebaseResource(normaliseResource(member, place.at(name)), directory)];
        return [name, rebasePaths(normaliseService(isObject(member) ? member : {}, place.at(name)), directory)];
      }),
    );
  }

  private interpolate(content: JsonObject): JsonObject {
    const interpolator = new Interpolator(this.options.variables);
    const unset = new Map<string, string>();
    const change = (value: Json, pointer: string): Json => {
      if (typeof value === 'string') return this.text(value, pointer, interpolator, unset);
      if (Array.isArray(value)) return value.map((item, index) => change(item, `${pointer}/${index}`));
      return isObject(value) ? changeMembers(value, pointer) : value;
    };
    const changeMembers = (object: JsonObject, pointer: string): JsonObject =>
      Object.fromEntries(
        Object.entries(object).map(([key, member]) => [key, change(member, pointer + toPointer(key))]),
      );
    const changed = changeMembers(content, '');
    for (const [variable, pointer] of unset) {
      const remedy = `Send ${variable} in env, set it in .env, or write \${${variable}:-default}.`;
      this.options.warnings.add(
        this.fault(pointer, `the variable ${variable} is not set; it is replaced by an empty string`, remedy),
      );
    }
    return changed;
  }

  private text(value: string, pointer: string, interpolator: Interpolator, unset: Map<string, string>): string {
    try {
      const text = interpolator.interpolate(value);
      for (const variable of interpolator.unset) if (!unset.has(variable)) unset.set(variable, pointer);
      interpolator.unset.clear();
      return text;
    } catch (error) {
      if (!(error instanceof InterpolationError)) throw error;
      this.options.faults.add(this.fault(pointer, error.message, error.remedy));
      return '';
    }
  }

  /** Compose reads 0440 as octal; a plain number has lost its leading zero, so the source line is read. */
  private readOctal(pointer: string): number | undefined {
    const { line, column } = this.document.findPosition(this.pointerOf(pointer));
    const [, digits] = /^["']?mode["']?\s*:\s*0o?([0-7]+)\b/.exec(this.lines[line - 1]?.slice(column - 1) ?? '') ?? [];
    return digits === undefined ? undefined : parseInt(digits, 8);
  }

  /** The pointer in the file to a member of the long form, where it may be the item of a list. */
  private pointerOf(pointer: string): string {
    const segments = (this.old ? pointer.replace(/^\/services/, '') : pointer).split('/').slice(1);
    let value: Json | undefined = this.document.value;
    const found = segments.map((segment) => {
      const name = unescape(segment);
      const key = Array.isArray(value) && !/^\d+$/.test(name) ? String(findItem(value, name)) : name;
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? getMember(value, key) : undefined;
      return toPointer(key);
    });
    return found.join('');
  }
}

/** Compose files of version 1 have their services at the top level. */
export function isOldLayout(object: JsonObject): boolean {
  const entries = Object.entries(object);
  if (entries.length === 0 || ['services', 'version', 'include', 'name'].some((key) => Object.hasOwn(object, key))) {
    return false;
  }
  return entries.every(
    ([, entry]) =>
      isObject(entry) &&
      (typeof entry.image === 'string' || entry.build !== undefined) &&
      Object.keys(entry).every((key) => serviceKeys.has(key)),
  );
}

function prune(object: JsonObject, drop: (pointer: string) => boolean, pointer = ''): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]): [string, Json][] => {
      const at = pointer + toPointer(key);
      if (drop(at)) return [];
      return [[key, isObject(value) ? prune(value, drop, at) : value]];
    }),
  );
}

const getMember = (value: JsonObject | Json[], key: string): Json | undefined =>
  Array.isArray(value) ? value[Number(key)] : value[key];

/** The index of the list item for a member: `db`, `A=1`, `host:address` or an object that names it; -1 without one. */
function findItem(list: readonly Json[], name: string): number {
  return list.findIndex((item) =>
    isObject(item)
      ? item.source === name || item.target === name
      : scalarText(item) === name || ['=', ':'].some((separator) => scalarText(item).startsWith(name + separator)),
  );
}

function unescape(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
