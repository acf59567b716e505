import { Injectable } from '@nestjs/common';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { canonicalDesign } from '../../formats/design-canonical.js';
import { resourceOf } from '../../formats/design-component.js';
import { isObject, type JsonObject, textOf } from '../../formats/located.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { ComponentsStore } from '../components/components.store.js';
import type { ValidationInput } from '../registry.inputs.js';
import type { Verdict } from './finding.js';
import { judge, type ResourceType } from './judged-part.js';
import { compileSchema } from './validate.js';
import { type JudgedResource, validationTask } from './validation-task.js';
import { type KnownTypes, told, typeOf, unknown, type ValidationAnswer, WITHOUT_SCHEMA } from './validation-answer.js';

/** Characters of resource and schema up to which it is judged at once; more goes to a worker. */
const AT_ONCE = 20_000;

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

  /** What is known of some types, for `judged`. */
  async known(types: readonly ResourceType[]): Promise<KnownTypes> {
    const definitions = await this.components.holdingAll(types);
    const digests = new Set(definitions.flatMap((each) => each.schemaDigest ?? []));
    return { definitions, schemas: await this.components.schemas([...digests]) };
  }

  /**
   * Judges resources by any schemas, in a worker; the verdicts come in their order.
   * @param schemas JSON Schemas as text, by what the resources call them
   * @throws InvalidRequest TOO_COSTLY when it takes too long
   */
  judgeBy(resources: JudgedResource[], schemas: ReadonlyMap<string, string>): Promise<Verdict[]> {
    return this.pool.run(validationTask, { resources, schemas }, { lane: 'own' });
  }
}

/** The resource that a component of a design stands for, or what was sent when it is one itself. */
function resourceIn(component: JsonObject): JsonObject {
  if (!isObject(component['component'])) return component;
  const [read] = canonicalDesign({ components: [component] }, '').components;
  return read ? resourceOf(read) : component;
}
