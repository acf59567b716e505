import { v5 } from 'uuid';
import { isObject, type Json, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type CompiledDefinition } from './compiled-definition.js';
import { isSelf, type SelectorClause } from './selector-clause.js';
import { type IndexedComponent } from './indexed-component.js';
import { type RuleMatch, type RelationshipReason } from './evaluation-rule.js';

const NAMESPACE = 'a9d1fbd1-6b0c-5d1e-8f43-0a7f3f6c2b58';
const SCHEMA = 'relationships.meshery.io/v1alpha3';

/** The triple of a relationship and its ends. */
export interface RelationshipKey {
  kind: string;
  type: string;
  subType: string;
  from: readonly string[];
  to: readonly string[];
}

/** A relationship that was found, with all its reasons. */
export interface FoundRelationship {
  key: RelationshipKey;
  id: string;
  by: CompiledDefinition;
  finding: RuleMatch;
  /** The first of its reasons. */
  places: RelationshipReason[];
  /** The total number of reasons. */
  count: number;
}

/** A stable id derived from the relationship; one with another id was not found by an evaluation. */
export function relationshipId({ kind, type, subType, from, to }: RelationshipKey): string {
  return v5(JSON.stringify([kind, type, subType, from, to]), NAMESPACE);
}

/** A triple as the layers of a design name it: `edge-non-binding-network`. */
export function tripleOf({ kind, type, subType }: Pick<RelationshipKey, 'kind' | 'type' | 'subType'>): string {
  return `${kind}-${type}-${subType}`.toLowerCase();
}

/** Equal text for the same relationship: siblings are known by the set of their members, all others by both ends. */
export function identityOf({ kind, type, subType, from, to }: RelationshipKey): string {
  const ends = type === 'sibling' ? [...new Set([...from, ...to])].sort() : [from, to];
  return JSON.stringify([kind, type, subType, ends]);
}

/** The key of a relationship in a design; ends without an id leave their list empty. */
export function relationshipKeyOf(relationship: JsonObject): RelationshipKey {
  const { selectors } = relationship;
  const [first] = Array.isArray(selectors) ? selectors : [];
  const allow = asObject(asObject(first)['allow']);
  const ids = (list: Json | undefined): string[] =>
    Array.isArray(list) ? list.filter(isObject).map((clause) => asText(clause['id'])) : [];
  return {
    kind: asText(relationship['kind']).toLowerCase(),
    type: asText(relationship['type']).toLowerCase(),
    subType: asText(relationship['subType']).toLowerCase(),
    from: ids(allow['from']),
    to: ids(allow['to']),
  };
}

/** A found relationship in the form of a design. */
export function toRelationship({ key, id, by, finding, places, count }: FoundRelationship): JsonObject {
  const { from, to, clauses, via } = finding;
  const { definition, model } = by;
  const clause = (of: SelectorClause) => (part: IndexedComponent) => instantiateClause(of, part, via);
  return {
    id,
    schemaVersion: SCHEMA,
    version: definition.version || 'v1.0.0',
    kind: key.kind,
    type: key.type,
    subType: key.subType,
    status: 'approved',
    evaluationQuery: '',
    model: { name: model.name, model: { version: model.version } },
    metadata: {
      description: asText(definition.metadata['description']),
      isAnnotation: false,
      reason: {
        text: describeMatch(finding, places, count),
        places: places.map(({ from: one, to: other, detail }) => ({ from: one, to: other, detail })),
        count,
      },
    },
    selectors: [
      {
        allow: { from: from.map(clause(clauses.from)), to: to.map(clause(clauses.to)) },
        deny: { from: [], to: [] },
      },
    ],
  };
}

/** `Service web selects Deployment web: spec.selector app=web matches spec.template.metadata.labels.` */
export function describeMatch(
  { from, to, verb }: RuleMatch,
  places: readonly RelationshipReason[],
  count: number,
): string {
  const [one, other] = [from[0]?.title ?? '', to[0]?.title ?? ''];
  const others = to.length > 1 ? ` and ${to.length - 1} more` : '';
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return `${one} ${verb} ${other}${others}: ${places[0]?.detail ?? ''}${more}.`;
}

/** A clause with its component, and the match and patch in the Meshery language. */
function instantiateClause(
  { source }: SelectorClause,
  part: IndexedComponent,
  via: IndexedComponent | undefined,
): JsonObject {
  const { match, patch } = source;
  const instance: JsonObject = { id: part.id, kind: part.kind, model: { name: part.component.model.name } };
  if (isObject(match) && Object.keys(match).length > 0) instance['match'] = withIds(match, part, via);
  if (isObject(patch)) instance['patch'] = patch;
  return instance;
}

function withIds(match: JsonObject, part: IndexedComponent, via: IndexedComponent | undefined): JsonObject {
  const entries = Object.entries(match).map(([side, list]): [string, Json] => [
    side,
    Array.isArray(list) && (side === 'from' || side === 'to')
      ? list.map((entry) => (isObject(entry) ? { ...entry, id: (isSelf(entry) ? part.id : via?.id) ?? null } : entry))
      : list,
  ]);
  return Object.fromEntries(entries);
}
