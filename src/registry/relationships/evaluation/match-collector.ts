import { CompiledDefinition } from './compiled-definition.js';
import { type DefinitionTrace, type ModelledDefinition } from './evaluation.js';
import { type EvaluationBudget } from './evaluation-budget.js';
import {
  type FoundRelationship,
  identityOf,
  relationshipId,
  type RelationshipKey,
  toRelationship,
  tripleOf,
} from './relationship.js';
import { type RuleMatch } from './evaluation-rule.js';
import { type ComponentIndex } from './component-index.js';
import { asText } from '../../../core/json/json.js';

/** The maximum number of reasons of a relationship; a workload may name the same ConfigMap a hundred times. */
const MAX_REASONS = 8;
/** The maximum number of findings per allowed relationship, so that endless repetition ends too. */
const MAX_REPETITIONS = 20;
/** What a definition may find before the others have their turn. */
const TURN = { matches: 32, bytes: 32 * 1024 };
/** With less space than this no relationship fits, and nothing more is looked for. */
const MIN_BYTES = 1024;
const TRUNCATED_NOTE = 'There may be more: the limits of the evaluation were reached.';

/** The evaluation of one definition. */
interface DefinitionRun {
  definition: CompiledDefinition;
  matches: Iterator<RuleMatch | undefined>;
  found: Set<string>;
  state: 'active' | 'done' | 'truncated' | 'off';
}

/** The matches of all definitions in a scene. Definitions take turns, so that one that finds no end leaves the others their share of the limits. */
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

  /**
   * Evaluates every definition, in an order that depends only on their content.
   * @param isOff whether the design has switched off a triple, as `kind-type-subtype`
   */
  collect(definitions: readonly ModelledDefinition[], isOff: (triple: string) => boolean): void {
    const runs = definitions
      .map(({ model, definition }) => new CompiledDefinition(model, definition))
      .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
      .map((definition): DefinitionRun => {
        const state = isOff(tripleOf(definition.definition)) ? 'off' : 'active';
        return { definition, matches: findMatches(definition, this.scene), found: new Set(), state };
      });
    for (let active = runs; active.length > 0; active = active.filter(({ state }) => state === 'active')) {
      for (const run of active) if (run.state === 'active') this.takeTurn(run);
    }
    this.truncated = runs.some(({ state }) => state === 'truncated');
    for (const run of runs) this.traces.push(this.toTrace(run));
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

  private takeTurn(run: DefinitionRun): void {
    const before = this.budget.remaining;
    if (before < MIN_BYTES) {
      run.state = 'truncated';
      return;
    }
    for (let count = 0; count < TURN.matches && before - this.budget.remaining < TURN.bytes; count += 1) {
      const next = run.matches.next();
      if (next.done === true) {
        run.state = 'done';
        return;
      }
      const isKept = next.value === undefined ? this.count(1) : this.addMatch(run, next.value);
      if (!isKept) {
        run.state = 'truncated';
        return;
      }
    }
  }

  private addMatch({ definition, found }: DefinitionRun, finding: RuleMatch): boolean {
    const { kind, type, subType } = definition.definition;
    const [from, to] = [finding.from, finding.to].map((parts) => parts.map(({ id }) => id));
    const key: RelationshipKey = { kind, type, subType, from: from ?? [], to: to ?? [] };
    const identity = identityOf(key);
    const known = this.found.get(identity);
    if (!this.count(known === undefined ? finding.to.length : 1)) return false;
    if (known === undefined) {
      if (this.found.size >= this.limit) return false;
      const added = { key, id: relationshipId(key), by: definition, finding, places: [finding.describe()], count: 1 };
      if (!this.budget.take(toRelationship(added))) return false;
      this.found.set(identity, added);
    } else {
      known.count += 1;
      if (known.places.length < MAX_REASONS) {
        const place = finding.describe();
        if (!this.budget.take(place)) return false;
        known.places.push(place);
      }
    }
    found.add(identity);
    return true;
  }

  /** Counts findings; false when they are too many. */
  private count(findings: number): boolean {
    this.seen += findings;
    return this.seen <= this.limit * MAX_REPETITIONS;
  }

  private toTrace({ definition, found, state }: DefinitionRun): DefinitionTrace {
    const { kind, type, subType, metadata } = definition.definition;
    const notes = this.readNotes(definition, found.size, state);
    const description = asText(metadata['description']);
    return { model: definition.model.name, kind, type, subType, description, found: found.size, notes };
  }

  private readNotes(definition: CompiledDefinition, found: number, state: DefinitionRun['state']): string[] {
    if (state === 'off') return [`The design has switched off ${tripleOf(definition.definition)}.`];
    if (state === 'truncated') return [...definition.notes, TRUNCATED_NOTE];
    return found > 0 ? definition.notes : definition.explainNoMatch(this.scene);
  }
}

function* findMatches({ rules }: CompiledDefinition, scene: ComponentIndex): Generator<RuleMatch | undefined> {
  for (const rule of rules) yield* rule.find(scene);
}

/** The remaining order between the same ends; siblings of several groups have the same triple, but other members. */
function relationshipSortKey({ key: { kind, type, subType, to } }: FoundRelationship): string {
  return [kind, type, subType, ...to].join(' ');
}
