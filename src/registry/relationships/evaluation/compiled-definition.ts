import { isObject, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type RelationshipDefinition } from '../../../formats/definitions/definitions.js';
import { canonicalKey, ValueJoin } from './value-join.js';
import { EqualValuesRule, explainMissingKinds } from './equal-values-rules.js';
import { parseClauses, matchesAny, formatKinds } from './selector-clause.js';
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

/** A definition compiled for evaluation. */
export class CompiledDefinition {
  readonly rules: EvaluationRule[] = [];
  /** The reasons why selector sets have no effect. */
  readonly notes: string[] = [];
  /** Orders definitions by content, so that the input order does not matter. */
  readonly key: string;
  private readonly sets: SelectorSet[] = [];

  constructor(
    readonly model: DefinitionModel,
    readonly definition: RelationshipDefinition,
  ) {
    const { kind, type, subType, version, selectors, metadata } = definition;
    this.key = canonicalKey([kind, type, subType, model.name, model.version, version, selectors, metadata]);
    const denied = selectors.map(({ deny }) => ({
      from: parseClauses(asObject(deny)['from']),
      to: parseClauses(asObject(deny)['to']),
    }));
    // An alias is one of its parent alone, however equal other components are.
    const isOfAnother = (from: IndexedComponent, to: IndexedComponent): boolean =>
      type === 'parent' && subType === 'alias' && from.parentId !== undefined && from.parentId !== to.id;
    const denies = (from: IndexedComponent, to: IndexedComponent): boolean =>
      isOfAnother(from, to) || denied.some((deny) => matchesAny(deny.from, from) && matchesAny(deny.to, to));
    for (const selector of selectors) this.addSelector(selector, denies);
    if (selectors.length === 0) this.notes.push('It has no selectors.');
  }

  /** The reason why it found nothing in a scene. */
  explainNoMatch(scene: ComponentIndex): string[] {
    const missing = this.sets.map((set) => explainMissingKinds(scene, set)).filter((reason) => reason !== undefined);
    const own = this.rules.map((rule) => rule.explainNoMatch?.(scene)).filter((reason) => reason !== undefined);
    const reasons = missing.length === this.sets.length ? missing : own;
    const notes = new Set([...this.notes, ...reasons]);
    return notes.size > 0 ? [...notes] : ['Nothing in the design fits it.'];
  }

  private addSelector(selector: JsonObject, denies: SelectorSet['denies']): void {
    const allow = asObject(selector['allow']);
    const set = { from: parseClauses(allow['from']), to: parseClauses(allow['to']), denies };
    if (set.from.length === 0 || set.to.length === 0) {
      this.notes.push('A set of selectors allows nothing: it has no "from" or no "to".');
      return;
    }
    this.sets.push(set);
    const made = isObject(selector['match']) ? [parseMatchRule(set, selector['match'])] : parseClauseRules(set);
    for (const rule of made) {
      if (typeof rule === 'string') this.notes.push(`${formatKinds(set.from)} → ${formatKinds(set.to)}: ${rule}`);
      else this.rules.push(rule);
    }
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
      return `match.strategy "${strategy}" is not known.`;
  }
}
