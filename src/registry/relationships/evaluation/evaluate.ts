import { asObject, type JsonObject } from '../../../core/json/json.js';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { AliasResolver } from './alias-resolver.js';
import { type Evaluation, type EvaluationOptions, type ModelledDefinition } from './evaluation.js';
import { EvaluationBudget, DEFAULT_ADDED_BYTES } from './evaluation-budget.js';
import { MatchCollector } from './match-collector.js';
import { applyPatches, type PatchResult } from './patches.js';
import { reconcile, partitionRelationships } from './reconciliation.js';
import { relationshipKeyOf, tripleOf } from './relationship.js';
import { ComponentIndex } from './component-index.js';

/** The maximum number of relationships to find, and the default. */
const MAX_LIMIT = 20_000;

/**
 * Finds the relationships of a design from definitions. The result is deterministic, regardless of the order of the definitions.
 * Relationships that the user drew are kept; results of an earlier evaluation that no longer apply are removed. The arguments are not changed.
 * @param addedBytes the maximum size, as JSON, of what is added to the design
 */
export function evaluate(
  design: DesignFile,
  definitions: readonly ModelledDefinition[],
  options: EvaluationOptions = {},
  addedBytes = DEFAULT_ADDED_BYTES,
): Evaluation {
  const { drawn, ours } = partitionRelationships(design.relationships);
  const budget = new EvaluationBudget(addedBytes);
  const patched =
    options.applyPatches === true ? applyPatches(design.components, drawn, budget) : withoutPatches(design, drawn);
  const aliases = AliasResolver.of({ ...design, components: patched.components });
  const scene = new ComponentIndex(patched.components, options.namespace ?? '', (component) =>
    aliases.resolve(component),
  );
  const findings = new MatchCollector(scene, Math.min(options.limit ?? MAX_LIMIT, MAX_LIMIT), budget);
  const layers = asObject(asObject(design.preferences['layers'])['relationships']);
  const isOff = (triple: string): boolean => Object.hasOwn(layers, triple) && layers[triple] === false;
  findings.collect(definitions, isOff);
  const ids = new Set(patched.components.map(({ id }) => id));
  const hasLostEnd = (relationship: JsonObject): boolean => {
    const { from, to } = relationshipKeyOf(relationship);
    return [...from, ...to].some((id) => id !== '' && !ids.has(id));
  };
  // What was not looked for, or is beyond the limit, may still apply if both ends exist.
  const mayHold = (relationship: JsonObject): boolean =>
    (findings.truncated || isOff(tripleOf(relationshipKeyOf(relationship)))) && !hasLostEnd(relationship);
  const result = reconcile({ drawn: patched.drawn, ours }, findings.toSorted(), { hasLostEnd, mayHold });
  return {
    design: { ...design, components: patched.components, relationships: result.relationships },
    actions: [...patched.actions, ...result.actions],
    trace: {
      componentsAdded: [],
      componentsUpdated: patched.updatedComponents,
      componentsRemoved: [],
      relationshipsAdded: result.added,
      relationshipsUpdated: [...patched.updatedRelationships, ...result.updated],
      relationshipsRemoved: result.removed,
      definitions: findings.traces,
      notes: patched.notes,
      truncated: findings.truncated || patched.isTruncated,
    },
  };
}

function withoutPatches({ components }: DesignFile, drawn: PatchResult['drawn']): PatchResult {
  const unchanged = { updatedComponents: [], updatedRelationships: [], actions: [], notes: [], isTruncated: false };
  return { components, drawn, ...unchanged };
}
