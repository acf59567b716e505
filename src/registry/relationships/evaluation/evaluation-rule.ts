import { type SelectorClause, matchesAny } from './selector-clause.js';
import { type IndexedComponent } from './indexed-component.js';
import { type ComponentPath } from './component-path.js';
import { type ComponentIndex } from './component-index.js';

/** Two values that together are a reason: RFC 6901 pointers into the two components, and their description. */
export interface RelationshipReason {
  from: string;
  to: string;
  detail: string;
}

/** A match of a rule. `from` and `to` are one component each, except for siblings, whose first comes before all others. */
export interface RuleMatch {
  from: readonly IndexedComponent[];
  to: readonly IndexedComponent[];
  /** The matching clauses. */
  clauses: { from: SelectorClause; to: SelectorClause };
  /** The component that binds the two. */
  via?: IndexedComponent;
  verb: string;
  /** Formatted only when it is kept. */
  describe: () => RelationshipReason;
}

/** The number of comparisons without a match after which a rule lets others have their turn. */
export const PAUSE_STEPS = 50;

/** One selector set of a definition, compiled for evaluation. */
export interface EvaluationRule {
  /** The matches; undefined after PAUSE_STEPS comparisons without one. */
  find(scene: ComponentIndex): Iterable<RuleMatch | undefined>;
  /** The reason why it found nothing, when it is more specific than that nothing matches. */
  explainNoMatch?(scene: ComponentIndex): string | undefined;
}

/** The clauses of one selector set, with the deny clauses of its definition. */
export interface SelectorSet {
  from: readonly SelectorClause[];
  to: readonly SelectorClause[];
  denies: (from: IndexedComponent, to: IndexedComponent) => boolean;
}

/** Whether a set allows a pair; the kinds of `from` have been checked before. */
export function isAllowedPair({ to, denies }: SelectorSet, one: IndexedComponent, other: IndexedComponent): boolean {
  return one !== other && matchesAny(to, other) && !denies(one, other);
}

/** The clauses that allow a pair. */
export function findClauses(
  set: SelectorSet,
  from: IndexedComponent,
  to: IndexedComponent,
): RuleMatch['clauses'] | undefined {
  const one = set.from.find((clause) => clause.matches(from));
  const other = set.to.find((clause) => clause.matches(to));
  return one === undefined || other === undefined ? undefined : { from: one, to: other };
}

/** Paths as shown in a sentence. */
export function formatPath(path: ComponentPath): string {
  return path.join('.');
}
