import { type Clause, fitsOne } from './clause.js';
import { type Part } from './part.js';
import { type Path } from './path.js';
import { type Scene } from './scene.js';

/** Two places that together are a reason: RFC 6901 pointers into the two components, and the words for it. */
export interface ReasonPlace {
  from: string;
  to: string;
  detail: string;
}

/** What a rule found. `from` and `to` are one component each, except for siblings, whose first stands before all others. */
export interface Finding {
  from: readonly Part[];
  to: readonly Part[];
  /** The clauses that they fit. */
  clauses: { from: Clause; to: Clause };
  /** The component that binds the two. */
  via?: Part;
  verb: string;
  /** Put into words only when it is kept. */
  place: () => ReasonPlace;
}

/** One selector set of a definition in a form that can be asked. */
export interface Rule {
  find(scene: Scene): Iterable<Finding>;
  /** Why it found nothing, when it knows better than that nothing fits. */
  idle?(scene: Scene): string | undefined;
}

/** The clauses of one selector set, with what its definition denies. */
export interface SelectorSet {
  from: readonly Clause[];
  to: readonly Clause[];
  denies: (from: Part, to: Part) => boolean;
}

/** Whether a pair is one that a set allows; the kinds of `from` are taken for granted. */
export function allows({ to, denies }: SelectorSet, one: Part, other: Part): boolean {
  return one !== other && fitsOne(to, other) && !denies(one, other);
}

/** The clauses by which a pair is allowed. */
export function clausesFor(set: SelectorSet, from: Part, to: Part): Finding['clauses'] | undefined {
  const one = set.from.find((clause) => clause.fits(from));
  const other = set.to.find((clause) => clause.fits(to));
  return one === undefined || other === undefined ? undefined : { from: one, to: other };
}

/** Paths as a sentence shows them. */
export function shownPath(path: Path): string {
  return path.join('.');
}
