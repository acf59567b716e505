import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type IndexedComponent } from './indexed-component.js';
import { WILDCARD } from './component-path.js';

/** One entry of `from` or `to`: the components it matches. Absent members do not restrict it. */
export class SelectorClause {
  readonly kind: string;
  private readonly model: string;
  private readonly modelVersion: string;
  private readonly groups: readonly string[] | undefined;

  constructor(readonly source: JsonObject) {
    const { model, apiGroup } = source;
    this.kind = asText(source['kind']) || WILDCARD;
    this.model = (typeof model === 'string' ? model : asText(asObject(model)['name'])).toLowerCase() || WILDCARD;
    this.modelVersion = stripVersionPrefix(asText(asObject(asObject(model)['model'])['version']));
    if (apiGroup !== undefined) this.groups = (Array.isArray(apiGroup) ? apiGroup : [apiGroup]).map(asText);
  }

  matches(part: IndexedComponent): boolean {
    return (
      (this.kind === WILDCARD || this.kind === part.kind) &&
      (this.groups?.includes(part.group) ?? true) &&
      (this.model === WILDCARD || this.model === part.component.model.name.toLowerCase()) &&
      (this.modelVersion === '' || this.matchesVersion(part))
    );
  }

  /** A component without a model version matches every version. */
  private matchesVersion({ component: { model } }: IndexedComponent): boolean {
    const version = stripVersionPrefix(asText(asObject(model['model'])['version']) || (model.version ?? ''));
    return version === '' || version === this.modelVersion;
  }
}

/** The clauses of a list; entries that are not objects are ignored. */
export function parseClauses(list: Json | undefined): SelectorClause[] {
  return Array.isArray(list) ? list.filter(isObject).map((entry) => new SelectorClause(entry)) : [];
}

export function matchesAny(clauses: readonly SelectorClause[], part: IndexedComponent): boolean {
  return clauses.some((clause) => clause.matches(part));
}

/** Kinds as named in sentences. */
export function formatKinds(clauses: readonly SelectorClause[]): string {
  const kinds = new Set(clauses.map(({ kind }) => (kind === WILDCARD ? 'anything' : kind)));
  return [...kinds].join(', ');
}

function stripVersionPrefix(version: string): string {
  return version.replace(/^v/, '');
}
