import { CompiledDefinition } from './compiled-definition.js';
import { type DefinitionTrace, type ModelledDefinition } from './evaluation.js';
import { type EvaluationBudget } from './evaluation-budget.js';
import { type FoundRelationship, relationshipId, type RelationshipKey, toRelationship } from './relationship.js';
import { type RuleMatch } from './evaluation-rule.js';
import { type ComponentIndex } from './component-index.js';
import { asText } from '../../../core/json/json.js';

/** The maximum number of reasons of a relationship; a workload may name the same ConfigMap a hundred times. */
const MAX_REASONS = 8;
/** The maximum number of findings per allowed relationship, so that endless repetition ends too. */
const MAX_REPETITIONS = 20;

/** The matches of all definitions in a scene. */
export class MatchCollector {
  readonly traces: DefinitionTrace[] = [];
  truncated = false;
  private readonly found = new Map<string, FoundRelationship>();
  private seen = 0;

  constructor(
    private readonly scene: ComponentIndex,
    private readonly limit: number,
    private readonly budget: EvaluationBudget,
  ) {}

  /** Evaluates every definition, in an order that depends only on their content. */
  collect(definitions: readonly ModelledDefinition[]): void {
    const rules = definitions.map(({ model, definition }) => new CompiledDefinition(model, definition));
    for (const each of rules.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0)))
      this.evaluateDefinition(each);
  }

  /** By the positions of their ends in the design, and then by triple. */
  toSorted(): FoundRelationship[] {
    const place = ({ finding: { from, to } }: FoundRelationship): [number, number] => [
      from[0]?.index ?? 0,
      to[0]?.index ?? 0,
    ];
    return [...this.found.values()].sort((one, other) => {
      const [[from, to], [otherFrom, otherTo]] = [place(one), place(other)];
      return from - otherFrom || to - otherTo || (relationshipSortKey(one) < relationshipSortKey(other) ? -1 : 1);
    });
  }

  private evaluateDefinition(definition: CompiledDefinition): void {
    const found = new Set<string>();
    for (const rule of definition.rules) {
      if (this.truncated) break;
      for (const finding of rule.find(this.scene)) {
        const kept = this.addMatch(definition, finding);
        if (kept === undefined) break;
        found.add(kept);
      }
    }
    const { kind, type, subType, metadata } = definition.definition;
    const notes = found.size > 0 || this.truncated ? definition.notes : definition.explainNoMatch(this.scene);
    const description = asText(metadata['description']);
    this.traces.push({ model: definition.model.name, kind, type, subType, description, found: found.size, notes });
  }

  private addMatch(by: CompiledDefinition, finding: RuleMatch): string | undefined {
    const { kind, type, subType } = by.definition;
    const from = finding.from.map(({ id }) => id);
    const key: RelationshipKey = { kind, type, subType, from, to: finding.to.map(({ id }) => id) };
    const text = JSON.stringify([kind, type, subType, from, key.to]);
    const known = this.found.get(text);
    this.seen += known === undefined ? finding.to.length : 1;
    if (this.seen > this.limit * MAX_REPETITIONS || (known === undefined && this.found.size >= this.limit)) {
      this.truncated = true;
      return undefined;
    }
    if (known === undefined) {
      const added = { key, id: relationshipId(key), by, finding, places: [finding.describe()], count: 1 };
      if (!this.hasSpaceFor(toRelationship(added))) return undefined;
      this.found.set(text, added);
    } else {
      known.count += 1;
      if (known.places.length === MAX_REASONS) return text;
      const place = finding.describe();
      if (!this.hasSpaceFor(place)) return undefined;
      known.places.push(place);
    }
    return text;
  }

  private hasSpaceFor(part: object): boolean {
    if (!this.budget.hasSpaceFor(part)) this.truncated = true;
    return !this.truncated;
  }
}

/** The remaining order between the same ends; siblings of several groups have the same triple, but other members. */
function relationshipSortKey({ key: { kind, type, subType, to } }: FoundRelationship): string {
  return [kind, type, subType, ...to].join(' ');
}
