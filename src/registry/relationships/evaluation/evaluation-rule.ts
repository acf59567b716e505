import { type SelectorClause, matchesAny } from './selector-clause.js';
import { type IndexedComponent } from './indexed-component.js';
import { type ComponentPath } from './component-path.js';
import { type ComponentIndex } from './component-index.js';

/** Two places that together are a reason: RFC 6901 pointers into the two components, and the words for it. */
export interface RelationshipReason {
  from: string;
  to: string;
  detail: string;
}

/** What a rule found. `from` and `to` are one component each, except for siblings, whose first stands before all others. */
export interface RuleMatch {
  from: readonly IndexedComponent[];
  to: readonly IndexedComponent[];
  /** The clauses that they fit. */
  clauses: { from: SelectorClause; to: SelectorClause };
  /** The component that binds the two. */
  via?: IndexedComponent;
  verb: string;
  /** Put into words only when it is kept. */
  describe: () => RelationshipReason;
}

/** One selector set of a definition in a form that can be asked. */
export interface EvaluationRule {
  find(scene: ComponentIndex): Iterable<RuleMatch>;
  /** Why it found nothing, when it knows better than that nothing fits. */
  explainNoMatch?(scene: ComponentIndex): string | undefined;
}

/** The clauses of one selector set, with what its definition denies. */
export interface SelectorSet {
  from: readonly SelectorClause[];
  to: readonly SelectorClause[];
  denies: (from: IndexedComponent, to: IndexedComponent) => boolean;
}

/** Whether a pair is one that a set allows; the kinds of `from` are taken for granted. */
export function isAllowedPair({ to, denies }: SelectorSet, one: IndexedComponent, other: IndexedComponent): boolean {
  return one !== other && matchesAny(to, other) && !denies(one, other);
}

/** The clauses by which a pair is allowed. */
export function findClauses(
  set: SelectorSet,
  from: IndexedComponent,
  to: IndexedComponent,
): RuleMatch['clauses'] | undefined {
  const one = set.from.find((clause) => clause.matches(from));
  const other = set.to.find((clause) => clause.matches(to));
  return one === undefined || other === undefined ? undefined : { from: one, to: other };
}

/** Paths as a sentence shows them. */
export function formatPath(path: ComponentPath): string {
  return path.join('.');
}
