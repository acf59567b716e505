import { isObject, type Json, type JsonObject, objectOf, textOf } from '../../../formats/located.js';
import { Agreement } from './agreement.js';
import { AgreementRule, BindingRule } from './agreement-rules.js';
import { Clause } from './clause.js';
import { type Rule, type SelectorSet } from './rule.js';
import { SiblingRule } from './siblings.js';
import { statedAgreement } from './stated-agreement.js';

/** What a clause says about itself and another kind, in `match.from` and `match.to`. */
interface Bond {
  kind: string;
  own: Json | undefined;
  other: Json | undefined;
}

/** The rules of a set in the language of relationships.meshery.io, one for each pair of its clauses; text where a pair has no criterion. */
export function fieldRules(set: SelectorSet): (Rule | string)[] {
  const pairs = set.from.flatMap((from) => set.to.map((to) => ({ from, to })));
  return pairs.map(({ from, to }) => fieldRule({ ...set, from: [from], to: [to] }, from, to));
}

function fieldRule(set: SelectorSet, from: Clause, to: Clause): Rule | string {
  const [one, other] = [objectOf(from.source['match']), objectOf(to.source['match'])];
  if (one['refs'] !== undefined || other['refs'] !== undefined)
    return SiblingRule.of(set, one['refs'] ?? other['refs']);
  const bonds = [bondOf(one), bondOf(other)] as const;
  if (bonds[0] !== undefined || bonds[1] !== undefined) return boundRule(set, from, to, bonds);
  const [mine, theirs] = [objectOf(from.source['patch']), objectOf(to.source['patch'])];
  const matrix = from.source['match_strategy_matrix'] ?? to.source['match_strategy_matrix'];
  const patched = patchedPaths(mine, theirs);
  if (patched === undefined) return 'It says that these may be related, and gives nothing to find them by.';
  const agreement = statedAgreement(patched.from, patched.to, matrix);
  return typeof agreement === 'string' ? agreement : new AgreementRule(set, agreement);
}

/** A patch copies from the mutator to what is mutated: where it has been applied, both have the same value. */
function patchedPaths(from: JsonObject, to: JsonObject): { from: Json; to: Json } | undefined {
  if (hasPaths(from['mutatorRef']) && hasPaths(to['mutatedRef']))
    return { from: from['mutatorRef'] ?? null, to: to['mutatedRef'] ?? null };
  if (hasPaths(from['mutatedRef']) && hasPaths(to['mutatorRef']))
    return { from: from['mutatedRef'] ?? null, to: to['mutatorRef'] ?? null };
  return undefined;
}

function boundRule(
  set: SelectorSet,
  from: Clause,
  to: Clause,
  [first, second]: readonly [Bond | undefined, Bond | undefined],
): Rule | string {
  if (first !== undefined && second !== undefined && first.kind === second.kind) {
    const one = statedAgreement(first.own, first.other, from.source['match_strategy_matrix']);
    const two = statedAgreement(second.other, second.own, to.source['match_strategy_matrix']);
    if (!(one instanceof Agreement)) return one;
    if (!(two instanceof Agreement)) return two;
    const model = from.source['model'] ?? null;
    return new BindingRule(set, new Clause({ kind: first.kind, model }), one, two);
  }
  const direct = first?.kind === to.kind ? first : undefined;
  const reverse = second?.kind === from.kind ? second : undefined;
  if (direct === undefined && reverse === undefined)
    return `Its ends are bound by different kinds (${first?.kind ?? 'none'}, ${second?.kind ?? 'none'}), which nothing can be.`;
  const agreement =
    direct === undefined
      ? statedAgreement(reverse?.other, reverse?.own, to.source['match_strategy_matrix'])
      : statedAgreement(direct.own, direct.other, from.source['match_strategy_matrix']);
  return agreement instanceof Agreement ? new AgreementRule(set, agreement) : agreement;
}

function bondOf(match: JsonObject): Bond | undefined {
  const sides = [match['from'], match['to']].map((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const entries = sides.flat();
  const own = entries.find(({ kind }) => kind === 'self');
  const other = entries.find(({ kind }) => kind !== 'self');
  if (own === undefined || other === undefined) return undefined;
  return { kind: textOf(other['kind']), own: refsOf(own), other: refsOf(other) };
}

function refsOf(entry: JsonObject): Json | undefined {
  return entry['mutatorRef'] ?? entry['mutatedRef'];
}

function hasPaths(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
