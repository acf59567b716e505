import { isObject, type Json } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { type FieldKind, type AllowedFields, CHART_FIELDS } from './allowed-fields.js';

/** A file or folder that instructions reference, or inline content. */
export interface InstructionReference {
  pointer: string;
  text: string;
  /** `base`: a file or a folder with a Kustomization; `patch` and `plugin`: a file, or the content itself. */
  kind: 'base' | 'file' | 'patch' | 'plugin';
}

/** A part of instructions that is not allowed there. */
export interface RefusedField {
  pointer: string;
  detail: string;
  remedy: string;
}

/** Characters that a path of a file in the import never contains: those of URLs, queries and other systems. */
// eslint-disable-next-line no-control-regex -- control characters are among them
const FOREIGN = /[\u0000-\u001f\u007f:?\\]/;
/** Forms without such characters that kustomize interprets as a Git repository. */
const REPOSITORY = /^\s*(?:\w+@)?(?:www\.)?(?:github|gitlab|bitbucket)\.\w+\/|^\s*git@|\.git(?:\/|\s*$)|_git\//i;

/** Whether the program might interpret a path as an address and fetch it. */
export function isRemote(path: string): boolean {
  return FOREIGN.test(path) || REPOSITORY.test(path);
}

/** Everything that instructions reference, by their allowed fields; any other field is refused. */
export class ReferenceCollector {
  readonly references: InstructionReference[] = [];
  readonly refusals: RefusedField[] = [];

  constructor(value: Json, fields: AllowedFields, what: string) {
    this.object(value, fields, '', what);
  }

  private object(value: Json, fields: AllowedFields, pointer: string, what: string): void {
    if (value === null) return;
    if (!isObject(value)) return this.refuse(pointer, 'must be a mapping', 'Write it as fields and their values.');
    for (const [name, member] of Object.entries(value)) {
      const at = pointer + toPointer(name);
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field) this.field(field, member, at, `${what}.${name}`);
      else if (CHART_FIELDS.has(name))
        this.refuse(at, `${name} would fetch and run charts, which is off`, CHART_REMEDY);
      else this.refuse(at, `${name.slice(0, 100)} is not an accepted field of ${what}`, SPELLING_REMEDY);
    }
  }

  private field(field: FieldKind, value: Json, pointer: string, what: string): void {
    if (field === 'data' || value === null) return;
    if (Array.isArray(value)) {
      value.forEach((item, index) => this.item(field, item, pointer + toPointer(index), what));
    } else this.item(field, value, pointer, what);
  }

  private item(field: Exclude<FieldKind, 'data'>, value: Json, pointer: string, what: string): void {
    if (typeof field === 'object') return this.object(value, field, pointer, what);
    if (value === null || value === '') return;
    if (typeof value !== 'string') return this.refuse(pointer, 'must be text', 'Name a file of the archive.');
    const text = field === 'source' ? value.slice(value.indexOf('=') + 1) : value;
    this.references.push({ pointer, text, kind: field === 'source' ? 'file' : field });
  }

  private refuse(pointer: string, detail: string, remedy: string): void {
    this.refusals.push({ pointer, detail, remedy });
  }
}

export const CHART_REMEDY = 'Import the chart on its own, or put what it renders to in its place.';
const SPELLING_REMEDY = 'Remove it, or correct its spelling: upper and lower case count.';
