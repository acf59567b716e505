import { type Clause, kindsOf } from './clause.js';
import { type Agreement } from './agreement.js';
import { type Part } from './part.js';
import { allows, clausesFor, type Finding, type Rule, type SelectorSet } from './rule.js';
import { type Scene } from './scene.js';

/** Finds components whose values agree: `match: {strategy: "equal", from, to}`, or a patch of the field's own language. */
export class AgreementRule implements Rule {
  constructor(
    private readonly set: SelectorSet,
    private readonly agreement: Agreement,
    private readonly verb = 'agrees with',
  ) {}

  *find(scene: Scene): Generator<Finding> {
    for (const { left, right, place } of this.agreement.join(scene.of(this.set.from), scene.of(this.set.to))) {
      const clauses = allows(this.set, left, right) ? clausesFor(this.set, left, right) : undefined;
      if (clauses !== undefined) yield { from: [left], to: [right], clauses, verb: this.verb, place };
    }
  }

  idle(scene: Scene): string | undefined {
    const { from, to } = this.set;
    return this.agreement.idle(scene.of(from), scene.of(to), [kindsOf(from), kindsOf(to)]);
  }
}

/** Finds what a third component binds to each other, as a RoleBinding does with a Role and a ServiceAccount. */
export class BindingRule implements Rule {
  constructor(
    private readonly set: SelectorSet,
    private readonly binding: Clause,
    private readonly first: Agreement,
    private readonly second: Agreement,
  ) {}

  *find(scene: Scene): Generator<Finding> {
    const bindings = scene.of([this.binding]);
    const froms = new Map<Part, Part[]>();
    for (const { left, right } of this.first.join(scene.of(this.set.from), bindings))
      froms.set(right, [...(froms.get(right) ?? []), left]);
    for (const { left: via, right: to, place } of this.second.join(bindings, scene.of(this.set.to))) {
      for (const from of froms.get(via) ?? []) {
        const clauses = allows(this.set, from, to) ? clausesFor(this.set, from, to) : undefined;
        if (clauses === undefined) continue;
        const bound = (): ReturnType<Finding['place']> => {
          const { to: pointer, detail } = place();
          return { from: '/component/kind', to: pointer, detail: `${via.title} names both; its ${detail}` };
        };
        yield { from: [from], to: [to], clauses, via, verb: 'is bound to', place: bound };
      }
    }
  }

  idle(scene: Scene): string | undefined {
    const { from, to } = this.set;
    const bindings = scene.of([this.binding]);
    const kind = this.binding.kind;
    if (bindings.length === 0) return `The design has no ${kind}.`;
    return (
      this.first.idle(scene.of(from), bindings, [kindsOf(from), kind]) ??
      this.second.idle(bindings, scene.of(to), [kind, kindsOf(to)])
    );
  }
}

/** Whether anything of the scene can be at either end. */
export function absent(scene: Scene, { from, to }: SelectorSet): string | undefined {
  const missing = [from, to].find((clauses) => scene.of(clauses).length === 0);
  return missing && `The design has no ${kindsOf(missing)}.`;
}
