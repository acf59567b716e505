import { type JsonObject } from '../../../core/json/json.js';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { type Evaluation, type EvaluationOptions, type ModelledDefinition } from './evaluation.js';
import { EvaluationBudget } from './evaluation-budget.js';
import { MatchCollector } from './match-collector.js';
import { applyPatches, type PatchResult } from './patches.js';
import { reconcile, partitionRelationships } from './reconciliation.js';
import { relationshipKeyOf } from './relationship.js';
import { ComponentIndex } from './component-index.js';

const DEFAULT_NAMESPACE = 'default';
/** The maximum number of relationships to find, and the default. */
const MAX_LIMIT = 20_000;

/**
 * Finds the relationships of a design from definitions. The result is deterministic, regardless of the order of the definitions.
 * Relationships that the user drew are kept; results of an earlier evaluation that no longer apply are removed. The arguments are not changed.
 */
export function evaluate(
  design: DesignFile,
  definitions: readonly ModelledDefinition[],
  options: EvaluationOptions = {},
): Evaluation {
  const { drawn, ours } = partitionRelationships(design.relationships);
  const budget = new EvaluationBudget();
  const patched =
    options.applyPatches === true ? applyPatches(design.components, drawn, budget) : withoutPatches(design, drawn);
  const scene = new ComponentIndex(patched.components, options.namespace ?? DEFAULT_NAMESPACE);
  const findings = new MatchCollector(scene, Math.min(options.limit ?? MAX_LIMIT, MAX_LIMIT), budget);
  findings.collect(definitions);
  const ids = new Set(patched.components.map(({ id }) => id));
  const hasEnds = (relationship: JsonObject): boolean => {
    const { from, to } = relationshipKeyOf(relationship);
    return [...from, ...to].every((id) => ids.has(id));
  };
  // Relationships beyond the limit may still apply, if both ends exist.
  const mayHold = (relationship: JsonObject): boolean => findings.truncated && hasEnds(relationship);
  const result = reconcile({ drawn: patched.drawn, ours }, findings.toSorted(), mayHold);
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
      truncated: findings.truncated || budget.isExceeded,
    },
  };
}

function withoutPatches({ components }: DesignFile, drawn: PatchResult['drawn']): PatchResult {
  return { components, drawn, updatedComponents: [], updatedRelationships: [], actions: [], notes: [] };
}
