import { isObject, type JsonObject, objectOf, textOf } from '../../../formats/located.js';
import { type RelationshipDefinition } from '../../definition.js';
import { keyOf } from './agreement.js';
import { AgreementRule, absent } from './agreement-rules.js';
import { clausesOf, fitsOne, kindsOf } from './clause.js';
import { fieldRules } from './field-language.js';
import { LabelSelectorRule } from './label-selector.js';
import { type Part } from './part.js';
import { ReferenceRule } from './reference.js';
import { type Rule, type SelectorSet } from './rule.js';
import { type Scene } from './scene.js';
import { SiblingRule } from './siblings.js';
import { statedAgreement } from './stated-agreement.js';

/** The model that a definition comes from. */
export interface DefinedIn {
  name: string;
  version: string;
}

/** A definition that is ready to be asked. */
export class DefinitionRules {
  readonly rules: Rule[] = [];
  /** Why sets of selectors have no effect. */
  readonly notes: string[] = [];
  /** Orders definitions by what they say, so that the order in which they are given does not matter. */
  readonly key: string;
  private readonly sets: SelectorSet[] = [];

  constructor(
    readonly model: DefinedIn,
    readonly definition: RelationshipDefinition,
  ) {
    const { kind, type, subType, version, selectors, metadata } = definition;
    this.key = keyOf([kind, type, subType, model.name, model.version, version, selectors, metadata]);
    const denied = selectors.map(({ deny }) => ({
      from: clausesOf(objectOf(deny)['from']),
      to: clausesOf(objectOf(deny)['to']),
    }));
    const denies = (from: Part, to: Part): boolean =>
      denied.some((deny) => fitsOne(deny.from, from) && fitsOne(deny.to, to));
    for (const selector of selectors) this.read(selector, denies);
    if (selectors.length === 0) this.notes.push('It has no selectors.');
  }

  /** Why it found nothing in a scene. */
  idle(scene: Scene): string[] {
    const nobody = this.sets.map((set) => absent(scene, set)).filter((reason) => reason !== undefined);
    const own = this.rules.map((rule) => rule.idle?.(scene)).filter((reason) => reason !== undefined);
    const reasons = nobody.length === this.sets.length ? nobody : own;
    const notes = new Set([...this.notes, ...reasons]);
    return notes.size > 0 ? [...notes] : ['Nothing in the design fits it.'];
  }

  private read(selector: JsonObject, denies: SelectorSet['denies']): void {
    const allow = objectOf(selector['allow']);
    const set = { from: clausesOf(allow['from']), to: clausesOf(allow['to']), denies };
    if (set.from.length === 0 || set.to.length === 0) {
      this.notes.push('A set of selectors allows nothing: it has no "from" or no "to".');
      return;
    }
    this.sets.push(set);
    const made = isObject(selector['match']) ? [ruleOf(set, selector['match'])] : fieldRules(set);
    for (const rule of made) {
      if (typeof rule === 'string') this.notes.push(`${kindsOf(set.from)} → ${kindsOf(set.to)}: ${rule}`);
      else this.rules.push(rule);
    }
  }
}

/** A rule of our own language; text says why there is none. */
function ruleOf(set: SelectorSet, match: JsonObject): Rule | string {
  const strategy = textOf(match['strategy']);
  switch (strategy) {
    case 'reference':
      return ReferenceRule.of(set, match);
    case 'labelSelector':
      return LabelSelectorRule.of(set, match);
    case 'sameValue':
      return SiblingRule.of(set, match['paths'], match['verb']);
    case 'equal': {
      const agreement = statedAgreement(match['from'], match['to'], match['strategies']);
      if (typeof agreement === 'string') return agreement;
      return new AgreementRule(set, agreement, textOf(match['verb']) || 'agrees with');
    }
    default:
      return `match.strategy "${strategy}" is not known.`;
  }
}
