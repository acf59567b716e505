import { Injectable } from '@nestjs/common';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { canonicalDesign } from '../../formats/design-canonical.js';
import { resourceOf } from '../../formats/design-component.js';
import { isObject, type JsonObject, textOf } from '../../formats/located.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { ComponentsStore, type Definition } from '../components/components.store.js';
import { componentKey } from '../registration/registration.store.js';
import type { ValidationInput } from '../registry.inputs.js';
import type { Verdict } from './finding.js';
import { judge, type ResourceType } from './judged-part.js';
import { compileSchema } from './validate.js';
import { type JudgedResource, validationTask } from './validation-task.js';

/** Characters of resource and schema up to which it is judged at once; more goes to a worker. */
const AT_ONCE = 20_000;

export interface ValidationAnswer extends Verdict {
  valid: boolean;
  /** The definition whose schema was asked; null when the registry has none. */
  definition: { id: string; kind: string; apiVersion: string; model: { name: string; version: string } } | null;
}

/** Judges resources by the schemas of the registry, as the API server would. */
@Injectable()
export class ValidationService {
  constructor(
    private readonly components: ComponentsStore,
    private readonly pool: WorkerPool,
  ) {}

  /** Takes a resource, or a component of a design. @throws InvalidRequest when it is neither, naming what is missing */
  async answer({ component, model }: ValidationInput): Promise<ValidationAnswer> {
    const resource = resourceIn(component);
    const faults = ['apiVersion', 'kind']
      .filter((name) => textOf(resource[name]) === '')
      .map((name): Fault => ({ pointer: `/component/${name}`, detail: 'is required' }));
    if (faults.length > 0)
      throw new InvalidRequest('component is neither a resource nor a component of a design', {
        errors: faults,
        remedy: 'Send a resource with apiVersion and kind, or a component with component.kind and component.version.',
      });
    return this.judge(resource, model);
  }

  private async judge(resource: JsonObject, model?: string): Promise<ValidationAnswer> {
    const type = typeOf(resource);
    const found = await this.components.holding(type.kind, { apiVersion: type.apiVersion, model });
    if (!found) return unknown(type, model);
    const { schema } = found;
    if (!schema) return told(found, WITHOUT_SCHEMA);
    if (schema.length + JSON.stringify(resource).length <= AT_ONCE)
      return told(found, judge(resource, compileSchema(JSON.parse(schema) as JsonObject), type));
    const [verdict] = await this.judgeBy([{ resource, type, schema: '' }], new Map([['', schema]]));
    return told(found, verdict ?? WITHOUT_SCHEMA);
  }

  /** Many resources with two statements and one task; the answers come in their order. */
  async judgeAll(resources: JsonObject[]): Promise<ValidationAnswer[]> {
    const known = await this.components.holdingAll(resources.map(typeOf));
    const found = new Map(known.map((definition) => [componentKey(definition), definition]));
    const schemas = await this.components.schemas([...new Set(known.flatMap((each) => each.schemaDigest ?? []))]);
    const judged = resources.flatMap((resource, index) => {
      const type = typeOf(resource);
      const schema = found.get(componentKey(type))?.schemaDigest;
      return schema ? [{ index, resource, type, schema }] : [];
    });
    const verdicts = judged.length > 0 ? await this.judgeBy(judged, schemas) : [];
    const byIndex = new Map(judged.map(({ index }, place) => [index, verdicts[place]]));
    return resources.map((resource, index) => {
      const definition = found.get(componentKey(typeOf(resource)));
      return definition ? told(definition, byIndex.get(index) ?? WITHOUT_SCHEMA) : unknown(typeOf(resource));
    });
  }

  /**
   * Judges resources by any schemas, in a worker; the verdicts come in their order.
   * @param schemas JSON Schemas as text, by what the resources call them
   * @throws InvalidRequest TOO_COSTLY when it takes too long
   */
  judgeBy(resources: JudgedResource[], schemas: ReadonlyMap<string, string>): Promise<Verdict[]> {
    return this.pool.run(validationTask, { resources, schemas });
  }
}

const WITHOUT_SCHEMA: Verdict = {
  errors: [],
  warnings: [{ pointer: '', detail: 'its component has no schema', keyword: 'no-schema' }],
};

const typeOf = (resource: JsonObject): ResourceType => ({
  apiVersion: textOf(resource['apiVersion']),
  kind: textOf(resource['kind']),
});

/** A kind that the registry does not know is valid, with a warning that says so. */
function unknown({ apiVersion, kind }: ResourceType, model?: string): ValidationAnswer {
  const where = model ? `the model ${model} has no enabled component` : 'the registry has no enabled component';
  const detail = `${where} ${kind} of ${apiVersion}, so it was not judged`;
  const warning = { pointer: '/kind', detail, keyword: 'unknown-kind' };
  return { valid: true, errors: [], warnings: [warning], definition: null };
}

function told(definition: Omit<Definition, 'schema'>, { errors, warnings }: Verdict): ValidationAnswer {
  const { id, kind, apiVersion, modelName, modelVersion } = definition;
  const model = { name: modelName, version: modelVersion };
  return { valid: errors.length === 0, errors, warnings, definition: { id, kind, apiVersion, model } };
}

/** The resource that a component of a design stands for, or what was sent when it is one itself. */
function resourceIn(component: JsonObject): JsonObject {
  if (!isObject(component['component'])) return component;
  const [read] = canonicalDesign({ components: [component] }, '').components;
  return read ? resourceOf(read) : component;
}
