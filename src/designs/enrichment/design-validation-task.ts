import type { Fault } from '../../core/errors/app-error.js';
import { moreFaultsText } from '../../core/errors/problem.js';
import { isDeployable, toResource } from '../../formats/design-file/design-component.js';
import type { DesignFile } from '../../formats/design-file/design-file.js';
import { findRepeatedResources } from '../../formats/design-file/repeated-resources.js';
import { encodeJson } from '../../formats/design-file/packed-design.js';
import { defineTask, type AskMainThread, type TransferredValue, type Task } from '../../core/workers/task.js';
import { REPEATED_ITEM } from '../../validation/structural/list-types.js';
import { type Finding, toFieldPath } from '../../validation/schema/findings.js';
import type { ResourceTypeMeta } from '../../validation/validate-resource.js';
import {
  validateResources,
  type ComponentDigest,
  type KnownComponents,
  readTypeMeta,
  type ResourceValidation,
} from '../../registry/validation/resource-validation.js';
import { parseDesignFile, transferBytes, type PackedContent } from '../contents/packed-content.js';
import { resourceTypeKey } from './enrich-design.js';

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
  /** One for each component that is a resource, including chart hooks, in the order of the design; pointers are relative to its resource. */
  components: ComponentValidation[];
  counts: { components: number; valid: number; unknown: number; errors: number; warnings: number };
  policy_violations: object[];
}

/** The result of evaluating the policies of a workspace for a design. */
export interface PolicyEvaluation {
  violations: object[];
  /** Whether one of them refuses a deployment. */
  refuses: boolean;
}

/** A design, and the results of the policies of its workspace. */
export interface DesignValidationInput {
  content: PackedContent;
  policies: PolicyEvaluation;
}

/** The number of types per question. */
const BATCH_SIZE = 500;

/** Validates a design and returns the result as UTF-8 JSON. Asks the main thread for the definitions of lists of resource types. */
export const designValidationTask = defineTask<DesignValidationInput, Uint8Array<ArrayBuffer>>(import.meta.url, {
  verdictInWorker,
});

/**
 * As `designValidationTask` for the JSON of a design, returned as faults: first those for which an API server refuses it, then the
 * fields that it drops.
 */
export const designFindingsTask: Task<Uint8Array<ArrayBuffer>, Fault[]> = defineTask(import.meta.url, {
  findingsInWorker,
});

/** The maximum number of listed findings; the rest is counted. */
const MAX_LISTED = 50;

/** Task of the worker pool. */
export async function verdictInWorker(
  { content, policies }: DesignValidationInput,
  ask: AskMainThread,
): Promise<TransferredValue<Uint8Array<ArrayBuffer>>> {
  const components = (await validateComponents(parseDesignFile(content), ask)).map(({ validation }) => validation);
  const sum = (of: (verdict: ComponentValidation) => number) => components.reduce((total, each) => total + of(each), 0);
  const counts = {
    components: components.length,
    valid: sum(({ valid }) => Number(valid)),
    unknown: sum(({ definition }) => Number(definition === null)),
    errors: sum(({ errors }) => errors.length),
    warnings: sum(({ warnings }) => warnings.length),
  };
  const verdict: DesignValidation = {
    valid: counts.valid === counts.components && !policies.refuses,
    components,
    counts,
    policy_violations: policies.violations,
  };
  return transferBytes(encodeJson(verdict));
}

/** Task of the worker pool. */
export async function findingsInWorker(json: Uint8Array<ArrayBuffer>, ask: AskMainThread): Promise<Fault[]> {
  const design = JSON.parse(Buffer.from(json.buffer).toString()) as DesignFile;
  const all = await validateComponents(design, ask);
  const faults = [
    ...all.flatMap((each) => each.validation.errors.map((finding) => toFault(each, finding, INVALID_REMEDY))),
    ...all.flatMap((each) =>
      each.validation.warnings
        .filter(({ keyword }) => keyword === 'unknown-field')
        .map((finding) => toFault(each, finding, UNKNOWN_FIELD_REMEDY)),
    ),
  ];
  // What makes a design unsupported is among those that are listed.
  faults.sort((a, b) => Number(b.keyword === REPEATED_ITEM) - Number(a.keyword === REPEATED_ITEM));
  const more = faults.length - MAX_LISTED;
  return more > 0 ? [...faults.slice(0, MAX_LISTED), { detail: moreFaultsText(more) }] : faults;
}

const INVALID_REMEDY = 'A cluster refuses it: correct the source and import it again with the id of the design.';
const UNKNOWN_FIELD_REMEDY = 'A cluster drops it: correct the name of the field, or remove it.';

interface IndexedValidation {
  /** The position of the component in the design. */
  index: number;
  validation: ComponentValidation;
}

function toFault(
  { index, validation }: IndexedValidation,
  { pointer, detail, keyword }: Finding,
  remedy: string,
): Fault {
  const field = toFieldPath(pointer);
  const place = `${validation.kind} ${validation.name}${field === '' ? '' : `, ${field}`}`;
  return { pointer: `/components/${index}/configuration${pointer}`, detail: `${place}: ${detail}`, keyword, remedy };
}

/** The verdicts on components that are resources, in the order of the design. */
async function validateComponents(design: DesignFile, ask: AskMainThread): Promise<IndexedValidation[]> {
  const all = design.components
    .map((component, index) => ({ component, index }))
    .filter(({ component }) => isDeployable(component));
  const resources = all.map(({ component }) => toResource(component));
  const answers = validateResources(resources, await fetchComponents(resources.map(readTypeMeta), ask));
  const repeated = new Map(findRepeatedResources(design.components).map(({ index, first }) => [index, first]));
  return all.map(({ component, index }, at) => {
    const { kind, version } = component.component;
    const answer = withRepetition(answers[at] as ResourceValidation, repeated.get(index));
    return {
      index,
      validation: { id: component.id, name: component.displayName, kind, apiVersion: version, ...answer },
    };
  });
}

/** @param first the position in the design of the component that represents the same resource */
function withRepetition(answer: ResourceValidation, first: number | undefined): ResourceValidation {
  if (first === undefined) return answer;
  const detail = `the design has this resource more than once: /components/${first} is the same`;
  return {
    ...answer,
    valid: false,
    errors: [...answer.errors, { pointer: '/metadata/name', detail, keyword: 'duplicate' }],
  };
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
