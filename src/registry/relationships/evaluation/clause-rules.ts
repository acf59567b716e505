import { truncate } from '../../../core/errors/app-error.js';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { ValueJoin } from './value-join.js';
import { EqualValuesRule, BindingRule } from './equal-values-rules.js';
import { isSelf, MAX_SHOWN_NAME, SelectorClause } from './selector-clause.js';
import { type EvaluationRule, type SelectorSet } from './evaluation-rule.js';
import { SiblingRule } from './sibling-rule.js';

/** The conditions of a clause on itself and another kind, in `match.from` and `match.to`. */
interface Binding {
  kind: string;
  own: Json | undefined;
  other: Json | undefined;
}

/**
 * The rules of a selector set in the language of relationships.meshery.io, one for each of the first pairs of its clauses; text where a pair
 * has no criterion.
 */
export function* parseClauseRules(set: SelectorSet, maxPairs: number): Generator<EvaluationRule | string> {
  let pairs = 0;
  for (const from of set.from) {
    for (const to of set.to) {
      if (pairs >= maxPairs) return;
      pairs += 1;
      yield parseClauseRule({ ...set, from: [from], to: [to] }, from, to);
    }
  }
}

function parseClauseRule(set: SelectorSet, from: SelectorClause, to: SelectorClause): EvaluationRule | string {
  const [one, other] = [asObject(from.source['match']), asObject(to.source['match'])];
  if (one['refs'] !== undefined || other['refs'] !== undefined)
    return SiblingRule.parse(set, one['refs'] ?? other['refs']);
  const bonds = [parseBinding(one), parseBinding(other)] as const;
  if (bonds[0] !== undefined || bonds[1] !== undefined) return parseBindingRule(set, from, to, bonds);
  const [mine, theirs] = [asObject(from.source['patch']), asObject(to.source['patch'])];
  const matrix = from.source['match_strategy_matrix'] ?? to.source['match_strategy_matrix'];
  const patched = readPatchedPaths(mine, theirs);
  if (patched === undefined) return 'It says that these may be related, and gives nothing to find them by.';
  const agreement = ValueJoin.parse(patched.from, patched.to, matrix);
  return typeof agreement === 'string' ? agreement : new EqualValuesRule(set, agreement);
}

/** A patch copies from the mutator to the mutated component: after it has been applied, both have the same value. */
function readPatchedPaths(from: JsonObject, to: JsonObject): { from: Json; to: Json } | undefined {
  if (hasPaths(from['mutatorRef']) && hasPaths(to['mutatedRef']))
    return { from: from['mutatorRef'] ?? null, to: to['mutatedRef'] ?? null };
  if (hasPaths(from['mutatedRef']) && hasPaths(to['mutatorRef']))
    return { from: from['mutatedRef'] ?? null, to: to['mutatorRef'] ?? null };
  return undefined;
}

function parseBindingRule(
  set: SelectorSet,
  from: SelectorClause,
  to: SelectorClause,
  [first, second]: readonly [Binding | undefined, Binding | undefined],
): EvaluationRule | string {
  if (first !== undefined && second !== undefined && first.kind === second.kind) {
    const one = ValueJoin.parse(first.own, first.other, from.source['match_strategy_matrix']);
    const two = ValueJoin.parse(second.other, second.own, to.source['match_strategy_matrix']);
    if (!(one instanceof ValueJoin)) return one;
    if (!(two instanceof ValueJoin)) return two;
    return new BindingRule(set, new SelectorClause({ kind: first.kind }), one, two);
  }
  const direct = first?.kind === to.kind ? first : undefined;
  const reverse = second?.kind === from.kind ? second : undefined;
  if (direct === undefined && reverse === undefined)
    return `Its ends are bound by different kinds (${formatKind(first)}, ${formatKind(second)}), which nothing can be.`;
  const agreement =
    direct === undefined
      ? ValueJoin.parse(reverse?.other, reverse?.own, to.source['match_strategy_matrix'])
      : ValueJoin.parse(direct.own, direct.other, from.source['match_strategy_matrix']);
  return agreement instanceof ValueJoin ? new EqualValuesRule(set, agreement) : agreement;
}

function parseBinding(match: JsonObject): Binding | undefined {
  const sides = [match['from'], match['to']].map((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const entries = sides.flat();
  const own = entries.find(isSelf);
  const other = entries.find((entry) => !isSelf(entry));
  if (own === undefined || other === undefined) return undefined;
  return { kind: asText(other['kind']), own: readRefs(own), other: readRefs(other) };
}

function formatKind(binding: Binding | undefined): string {
  return binding === undefined ? 'none' : truncate(binding.kind, MAX_SHOWN_NAME);
}

function readRefs(entry: JsonObject): Json | undefined {
  return entry['mutatorRef'] ?? entry['mutatedRef'];
}

function hasPaths(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
