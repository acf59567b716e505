import { isObject, type Json, type JsonObject, objectOf, textOf } from '../../../formats/located.js';
import { type Part } from './part.js';
import { ANY } from './path.js';

/** One entry of `from` or `to`: which components it means. What it leaves out, it does not ask. */
export class Clause {
  readonly kind: string;
  private readonly model: string;
  private readonly modelVersion: string;
  private readonly groups: readonly string[] | undefined;

  constructor(readonly source: JsonObject) {
    const { model, apiGroup } = source;
    this.kind = textOf(source['kind']) || ANY;
    this.model = (typeof model === 'string' ? model : textOf(objectOf(model)['name'])).toLowerCase() || ANY;
    this.modelVersion = plain(textOf(objectOf(objectOf(model)['model'])['version']));
    if (apiGroup !== undefined) this.groups = (Array.isArray(apiGroup) ? apiGroup : [apiGroup]).map(textOf);
  }

  fits(part: Part): boolean {
    return (
      (this.kind === ANY || this.kind === part.kind) &&
      (this.groups?.includes(part.group) ?? true) &&
      (this.model === ANY || this.model === part.component.model.name.toLowerCase()) &&
      (this.modelVersion === '' || this.fitsVersion(part))
    );
  }

  /** A component that does not know the version of its model is of every one. */
  private fitsVersion({ component: { model } }: Part): boolean {
    const version = plain(textOf(objectOf(model['model'])['version']) || (model.version ?? ''));
    return version === '' || version === this.modelVersion;
  }
}

/** The clauses of a list; entries that are no objects are none. */
export function clausesOf(list: Json | undefined): Clause[] {
  return Array.isArray(list) ? list.filter(isObject).map((entry) => new Clause(entry)) : [];
}

export function fitsOne(clauses: readonly Clause[], part: Part): boolean {
  return clauses.some((clause) => clause.fits(part));
}

/** Kinds as a sentence names them. */
export function kindsOf(clauses: readonly Clause[]): string {
  const kinds = new Set(clauses.map(({ kind }) => (kind === ANY ? 'anything' : kind)));
  return [...kinds].join(', ');
}

function plain(version: string): string {
  return version.replace(/^v/, '');
}
