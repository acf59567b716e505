import { type SelectorClause, formatKinds } from './selector-clause.js';
import { type JoinedComponents, shareNamespace, type ValueJoin } from './value-join.js';
import { type IndexedComponent } from './indexed-component.js';
import {
  isAllowedPair,
  findClauses,
  type RuleMatch,
  type EvaluationRule,
  type SelectorSet,
} from './evaluation-rule.js';
import { type ComponentIndex } from './component-index.js';

/** Finds components with equal values: `match: {strategy: "equal", from, to}`, or a patch of the Meshery language. */
export class EqualValuesRule implements EvaluationRule {
  constructor(
    private readonly set: SelectorSet,
    private readonly agreement: ValueJoin,
    private readonly verb = 'agrees with',
  ) {}

  *find(scene: ComponentIndex): Generator<RuleMatch | undefined> {
    for (const joined of this.agreement.join(scene.select(this.set.from), scene.select(this.set.to))) {
      if (joined === undefined) {
        yield undefined;
        continue;
      }
      const { left, right, place } = joined;
      const clauses = isAllowedPair(this.set, left, right) ? findClauses(this.set, left, right) : undefined;
      if (clauses !== undefined) yield { from: [left], to: [right], clauses, verb: this.verb, describe: place };
    }
  }

  explainNoMatch(scene: ComponentIndex): string | undefined {
    const { from, to } = this.set;
    return this.agreement.explainNoMatch(scene.select(from), scene.select(to), [formatKinds(from), formatKinds(to)]);
  }
}

/** Finds components that a third one binds to each other, as a RoleBinding does with a Role and a ServiceAccount. */
export class BindingRule implements EvaluationRule {
  constructor(
    private readonly set: SelectorSet,
    private readonly binding: SelectorClause,
    private readonly first: ValueJoin,
    private readonly second: ValueJoin,
  ) {}

  *find(scene: ComponentIndex): Generator<RuleMatch | undefined> {
    const bindings = scene.select([this.binding]);
    const froms = new Map<IndexedComponent, JoinedComponents[]>();
    for (const joined of this.first.join(scene.select(this.set.from), bindings)) {
      yield undefined;
      if (joined === undefined) continue;
      const known = froms.get(joined.right);
      if (known === undefined) froms.set(joined.right, [joined]);
      else known.push(joined);
    }
    for (const joined of this.second.join(bindings, scene.select(this.set.to))) {
      if (joined === undefined) {
        yield undefined;
        continue;
      }
      const { left: via, right: to, statesNamespace, place } = joined;
      for (const first of froms.get(via) ?? []) {
        const from = first.left;
        // A binding that names no namespace will be in that of one of its ends, and then the other is there too.
        const isInOne = via.isNamespaced && via.namespace === '' && !statesNamespace && !first.statesNamespace;
        if (isInOne && !shareNamespace(from, to)) continue;
        const clauses = isAllowedPair(this.set, from, to) ? findClauses(this.set, from, to) : undefined;
        if (clauses === undefined) continue;
        const bound = (): ReturnType<RuleMatch['describe']> => {
          const { to: pointer, detail } = place();
          return { from: '/component/kind', to: pointer, detail: `${via.title} names both; its ${detail}` };
        };
        yield { from: [from], to: [to], clauses, via, verb: 'is bound to', describe: bound };
      }
    }
  }

  explainNoMatch(scene: ComponentIndex): string | undefined {
    const { from, to } = this.set;
    const bindings = scene.select([this.binding]);
    const kind = this.binding.kind;
    if (bindings.length === 0) return `The design has no ${kind}.`;
    return (
      this.first.explainNoMatch(scene.select(from), bindings, [formatKinds(from), kind]) ??
      this.second.explainNoMatch(bindings, scene.select(to), [kind, formatKinds(to)])
    );
  }
}

/** Whether any component of the scene can be at either end. */
export function explainMissingKinds(scene: ComponentIndex, { from, to }: SelectorSet): string | undefined {
  const missing = [from, to].find((clauses) => scene.select(clauses).length === 0);
  return missing && `The design has no ${formatKinds(missing)}.`;
}
