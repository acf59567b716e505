import { isDeployable, toResource } from '../../formats/design-file/design-component.js';
import { encodeJson } from '../../formats/design-file/packed-design.js';
import { type AskMainThread, type TransferredValue, type Task } from '../../core/workers/task.js';
import type { Finding } from '../../validation/findings.js';
import type { ResourceTypeMeta } from '../../validation/validate-resource.js';
import {
  validateResources,
  type ComponentDigest,
  type KnownComponents,
  readTypeMeta,
  type ResourceValidation,
} from '../../registry/validation/resource-validation.js';
import { parseDesignFile, transferBytes, type PackedContent } from '../versions/packed-content.js';
import { resourceTypeKey } from './enrichment-task.js';

export interface ComponentValidation {
  id: string;
  name: string;
  kind: string;
  apiVersion: string;
  valid: boolean;
  errors: Finding[];
  warnings: Finding[];
  definition: ResourceValidation['definition'];
}

export interface DesignValidation {
  valid: boolean;
  /** One for each component that is a resource, hooks of a chart among them, in the order of the design; pointers lead into its resource. */
  components: ComponentValidation[];
  counts: { components: number; valid: number; unknown: number; errors: number; warnings: number };
}

/** Types that are asked for at once. */
const BATCH_SIZE = 500;

/** The DesignVerdict of a design as UTF-8 JSON. Asks what is known of lists of ResourceTypes, to be answered with KnownTypes. */
export const designValidationTask: Task<PackedContent, Uint8Array<ArrayBuffer>> = {
  module: import.meta.url,
  name: 'verdictInWorker',
};

/** Task of the worker pool. */
export async function verdictInWorker(
  content: PackedContent,
  ask: AskMainThread,
): Promise<TransferredValue<Uint8Array<ArrayBuffer>>> {
  const all = parseDesignFile(content).components.filter(isDeployable);
  const resources = all.map(toResource);
  const answers = validateResources(resources, await fetchComponents(resources.map(readTypeMeta), ask));
  const components = all.map((component, index): ComponentValidation => {
    const { kind, version } = component.component;
    const answer = answers[index] as ResourceValidation;
    return { id: component.id, name: component.displayName, kind, apiVersion: version, ...answer };
  });
  const sum = (of: (verdict: ComponentValidation) => number) => components.reduce((total, each) => total + of(each), 0);
  const counts = {
    components: components.length,
    valid: sum(({ valid }) => Number(valid)),
    unknown: sum(({ definition }) => Number(definition === null)),
    errors: sum(({ errors }) => errors.length),
    warnings: sum(({ warnings }) => warnings.length),
  };
  const verdict: DesignValidation = { valid: counts.valid === counts.components, components, counts };
  return transferBytes(encodeJson(verdict));
}

async function fetchComponents(types: readonly ResourceTypeMeta[], ask: AskMainThread): Promise<KnownComponents> {
  const distinct = [...new Map(types.map((type) => [resourceTypeKey(type), type])).values()];
  const definitions: ComponentDigest[] = [];
  const schemas = new Map<string, string>();
  for (let start = 0; start < distinct.length; start += BATCH_SIZE) {
    const known = (await ask(distinct.slice(start, start + BATCH_SIZE))) as KnownComponents;
    definitions.push(...known.definitions);
    for (const [digest, schema] of known.schemas) schemas.set(digest, schema);
  }
  return { definitions, schemas };
}
