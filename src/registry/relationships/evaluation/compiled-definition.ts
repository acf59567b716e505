import { truncate } from '../../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type RelationshipDefinition } from '../../../formats/definitions/definitions.js';
import { canonicalKey, ValueJoin } from './value-join.js';
import { EqualValuesRule, explainMissingKinds } from './equal-values-rules.js';
import { parseClauses, matchesAny, formatKinds, MAX_SHOWN_NAME } from './selector-clause.js';
import { parseClauseRules } from './clause-rules.js';
import { LabelSelectorRule } from './label-selector-rule.js';
import { type IndexedComponent } from './indexed-component.js';
import { ReferenceRule } from './reference-rule.js';
import { type EvaluationRule, type SelectorSet } from './evaluation-rule.js';
import { type ComponentIndex } from './component-index.js';
import { SiblingRule } from './sibling-rule.js';

/** The model that a definition comes from. */
export interface DefinitionModel {
  name: string;
  version: string;
}

/** The maximum number of pairs of clauses of a definition that are evaluated; a short list on each side makes many. */
const MAX_PAIRS = 2_500;
/** The maximum number of reasons why a definition has no effect. */
const MAX_NOTES = 20;

/** The rules of a definition, and the reasons why some of its selector sets have no effect. */
interface CompiledSelectors {
  sets: SelectorSet[];
  rules: EvaluationRule[];
  notes: Set<string>;
}

/** A definition for evaluation, compiled when its rules are first needed. */
export class CompiledDefinition {
  /** Orders definitions by content, so that the input order does not matter. */
  readonly key: string;
  private compiled: CompiledSelectors | undefined;

  constructor(
    readonly model: DefinitionModel,
    readonly definition: RelationshipDefinition,
  ) {
    const { kind, type, subType, version, selectors, metadata } = definition;
    this.key = canonicalKey([kind, type, subType, model.name, model.version, version, selectors, metadata]);
  }

  get rules(): readonly EvaluationRule[] {
    return this.selectors.rules;
  }

  /** The reasons why selector sets have no effect. */
  get notes(): string[] {
    return [...this.selectors.notes];
  }

  /** The reason why it found nothing in a scene. */
  explainNoMatch(scene: ComponentIndex): string[] {
    const { sets, rules } = this.selectors;
    const missing = sets.map((set) => explainMissingKinds(scene, set)).filter((reason) => reason !== undefined);
    const own = rules.slice(0, MAX_NOTES).map((rule) => rule.explainNoMatch?.(scene));
    const reasons = missing.length === sets.length ? missing : own.filter((reason) => reason !== undefined);
    const notes = new Set([...this.notes, ...reasons.slice(0, MAX_NOTES)]);
    return notes.size > 0 ? [...notes] : ['Nothing in the design fits it.'];
  }

  private get selectors(): CompiledSelectors {
    return (this.compiled ??= compileSelectors(this.definition));
  }
}

function compileSelectors({ type, subType, selectors }: RelationshipDefinition): CompiledSelectors {
  const denied = selectors.map(({ deny }) => ({
    from: parseClauses(asObject(deny)['from']),
    to: parseClauses(asObject(deny)['to']),
  }));
  // An alias is one of its parent alone, however equal other components are.
  const isOfAnother = (from: IndexedComponent, to: IndexedComponent): boolean =>
    type === 'parent' && subType === 'alias' && from.parentId !== undefined && from.parentId !== to.id;
  const denies = (from: IndexedComponent, to: IndexedComponent): boolean =>
    isOfAnother(from, to) || denied.some((deny) => matchesAny(deny.from, from) && matchesAny(deny.to, to));
  const compiled: CompiledSelectors = { sets: [], rules: [], notes: new Set() };
  let remaining = MAX_PAIRS;
  for (const selector of selectors) {
    const allow = asObject(selector['allow']);
    const set = { from: parseClauses(allow['from']), to: parseClauses(allow['to']), denies };
    const pairs = isObject(selector['match']) ? 1 : set.from.length * set.to.length;
    if (pairs > remaining) compiled.notes.add(`Only the first ${MAX_PAIRS} pairs of its clauses are evaluated.`);
    addRules(compiled, set, selector['match'], remaining);
    remaining -= Math.min(pairs, remaining);
  }
  if (selectors.length === 0) compiled.notes.add('It has no selectors.');
  return compiled;
}

function addRules(compiled: CompiledSelectors, set: SelectorSet, match: Json | undefined, maxPairs: number): void {
  if (set.from.length === 0 || set.to.length === 0) {
    compiled.notes.add('A set of selectors allows nothing: it has no "from" or no "to".');
    return;
  }
  compiled.sets.push(set);
  const ends = `${formatKinds(set.from)} → ${formatKinds(set.to)}`;
  const rules = isObject(match) ? [parseMatchRule(set, match)] : parseClauseRules(set, maxPairs);
  for (const rule of rules) {
    if (typeof rule !== 'string') compiled.rules.push(rule);
    else if (compiled.notes.size < MAX_NOTES) compiled.notes.add(`${ends}: ${rule}`);
  }
}

/** A rule of the server's own language; text with the reason when there is none. */
function parseMatchRule(set: SelectorSet, match: JsonObject): EvaluationRule | string {
  const strategy = asText(match['strategy']);
  switch (strategy) {
    case 'reference':
      return ReferenceRule.parse(set, match);
    case 'labelSelector':
      return LabelSelectorRule.parse(set, match);
    case 'sameValue':
      return SiblingRule.parse(set, match['paths'], match['verb']);
    case 'equal': {
      const agreement = ValueJoin.parse(match['from'], match['to'], match['strategies']);
      if (typeof agreement === 'string') return agreement;
      return new EqualValuesRule(set, agreement, asText(match['verb']) || 'agrees with');
    }
    default:
      return `match.strategy "${truncate(strategy, MAX_SHOWN_NAME)}" is not known.`;
  }
}
