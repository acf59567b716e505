import { isDeployable, resourceOf } from '../../formats/design-component.js';
import { bytesOf } from '../../formats/packed-design.js';
import { type Ask, type HandedOver, type Task } from '../../formats/task.js';
import type { Finding } from '../../registry/validation/finding.js';
import type { ResourceType } from '../../registry/validation/judged-part.js';
import {
  judged,
  type KnownDefinition,
  type KnownTypes,
  typeOf,
  type ValidationAnswer,
} from '../../registry/validation/validation-answer.js';
import { fileIn, handedOver, type PackedContent } from '../versions/packed-content.js';
import { keyOf } from './enrichment-task.js';

export interface ComponentVerdict {
  id: string;
  name: string;
  kind: string;
  apiVersion: string;
  valid: boolean;
  errors: Finding[];
  warnings: Finding[];
  definition: ValidationAnswer['definition'];
}

export interface DesignVerdict {
  valid: boolean;
  /** One for each component that is a resource, hooks of a chart among them, in the order of the design; pointers lead into its resource. */
  components: ComponentVerdict[];
  counts: { components: number; valid: number; unknown: number; errors: number; warnings: number };
}

/** Types that are asked for at once. */
const TOGETHER = 500;

/** The DesignVerdict of a design as UTF-8 JSON. Asks what is known of lists of ResourceTypes, to be answered with KnownTypes. */
export const verdictTask: Task<PackedContent, Uint8Array<ArrayBuffer>> = {
  module: import.meta.url,
  name: 'verdictInWorker',
};

/** Task of the worker pool. */
export async function verdictInWorker(content: PackedContent, ask: Ask): Promise<HandedOver<Uint8Array<ArrayBuffer>>> {
  const all = fileIn(content).components.filter(isDeployable);
  const resources = all.map(resourceOf);
  const answers = judged(resources, await knownOf(resources.map(typeOf), ask));
  const components = all.map((component, index): ComponentVerdict => {
    const { kind, version } = component.component;
    const answer = answers[index] as ValidationAnswer;
    return { id: component.id, name: component.displayName, kind, apiVersion: version, ...answer };
  });
  const sum = (of: (verdict: ComponentVerdict) => number) => components.reduce((total, each) => total + of(each), 0);
  const counts = {
    components: components.length,
    valid: sum(({ valid }) => Number(valid)),
    unknown: sum(({ definition }) => Number(definition === null)),
    errors: sum(({ errors }) => errors.length),
    warnings: sum(({ warnings }) => warnings.length),
  };
  const verdict: DesignVerdict = { valid: counts.valid === counts.components, components, counts };
  return handedOver(bytesOf(verdict));
}

async function knownOf(types: readonly ResourceType[], ask: Ask): Promise<KnownTypes> {
  const distinct = [...new Map(types.map((type) => [keyOf(type), type])).values()];
  const definitions: KnownDefinition[] = [];
  const schemas = new Map<string, string>();
  for (let start = 0; start < distinct.length; start += TOGETHER) {
    const known = (await ask(distinct.slice(start, start + TOGETHER))) as KnownTypes;
    definitions.push(...known.definitions);
    for (const [digest, schema] of known.schemas) schemas.set(digest, schema);
  }
  return { definitions, schemas };
}
