import { truncate } from '../../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type IndexedComponent } from './indexed-component.js';
import { compilePattern } from '../../../validation/values/pattern.js';
import { WILDCARD } from './component-path.js';

/** Characters of a kind, which is any text, in a sentence. */
export const MAX_SHOWN_NAME = 80;
const MAX_SHOWN_KINDS = 20;
/** The names that are no patterns. */
const PLAIN_NAME = /^[\w.-]*$/;

/** A name, or a pattern in RE2 syntax that matches a part of it. */
class NameFilter {
  private readonly known = new Map<string, boolean>();

  constructor(
    readonly text: string,
    readonly isPlain = text === WILDCARD || PLAIN_NAME.test(text),
  ) {}

  matches(name: string): boolean {
    if (this.isPlain) return this.text === WILDCARD || this.text === name;
    let isMatch = this.known.get(name);
    if (isMatch === undefined) {
      const pattern = compilePattern(this.text);
      this.known.set(name, (isMatch = typeof pattern !== 'string' && pattern.matches(name) === true));
    }
    return isMatch;
  }
}

/** One entry of `from` or `to`: the components it matches. Absent members do not restrict it. */
export class SelectorClause {
  readonly kind: string;
  private readonly kinds: NameFilter;
  private readonly models: NameFilter;
  private readonly modelVersion: string;
  private readonly groups: readonly string[] | undefined;

  constructor(readonly source: JsonObject) {
    const { model, apiGroup } = source;
    this.kind = asText(source['kind']) || WILDCARD;
    this.kinds = new NameFilter(this.kind);
    const name = (typeof model === 'string' ? model : asText(asObject(model)['name'])) || WILDCARD;
    this.models = PLAIN_NAME.test(name)
      ? new NameFilter(name.toLowerCase())
      : new NameFilter(name === WILDCARD ? name : `(?i)${name}`);
    this.modelVersion = stripVersionPrefix(asText(asObject(asObject(model)['model'])['version']));
    if (apiGroup !== undefined) this.groups = (Array.isArray(apiGroup) ? apiGroup : [apiGroup]).map(asText);
  }

  matches(part: IndexedComponent): boolean {
    return (
      this.kinds.matches(part.kind) &&
      (this.groups?.includes(part.group) ?? true) &&
      this.models.matches(part.component.model.name.toLowerCase()) &&
      (this.modelVersion === '' || this.matchesVersion(part))
    );
  }

  /** The kinds among these that it is about. */
  selectKinds(kinds: Iterable<string>): string[] {
    return this.kinds.isPlain ? [this.kind] : [...kinds].filter((kind) => this.kinds.matches(kind));
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

/** Whether an entry of a match is the component of its clause. */
export function isSelf({ kind }: JsonObject): boolean {
  return asText(kind).toLowerCase() === 'self';
}

/** Kinds as named in sentences; of many the first. */
export function formatKinds(clauses: readonly SelectorClause[]): string {
  const kinds = [...new Set(clauses.map(({ kind }) => (kind === WILDCARD ? 'anything' : kind)))];
  const shown = kinds.slice(0, MAX_SHOWN_KINDS).map((kind) => truncate(kind, MAX_SHOWN_NAME));
  const others = kinds.length - shown.length;
  return others === 0 ? shown.join(', ') : `${shown.join(', ')} and ${others} more`;
}

function stripVersionPrefix(version: string): string {
  return version.replace(/^v/, '');
}
