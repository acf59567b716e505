import { Injectable } from '@nestjs/common';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { canonicalDesign } from '../../formats/design-canonical.js';
import { resourceOf } from '../../formats/design-component.js';
import { isObject, type JsonObject, textOf } from '../../formats/located.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { ComponentsStore, type Definition } from '../components/components.store.js';
import type { ValidationInput } from '../registry.inputs.js';
import type { Verdict } from './finding.js';
import { validate } from './validate.js';
import { validationTask } from './validation-task.js';

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

  /** A kind that the registry does not know is valid, with a warning that says so. */
  async judge(resource: JsonObject, model?: string): Promise<ValidationAnswer> {
    const [apiVersion, kind] = [textOf(resource['apiVersion']), textOf(resource['kind'])];
    const found = await this.components.holding(kind, { apiVersion, model });
    if (!found) {
      const where = model ? `the model ${model} has no enabled component` : 'the registry has no enabled component';
      const detail = `${where} ${kind} of ${apiVersion}, so it was not judged`;
      return {
        valid: true,
        errors: [],
        warnings: [{ pointer: '/kind', detail, keyword: 'unknown-kind' }],
        definition: null,
      };
    }
    const { errors, warnings } = await this.verdict(resource, found);
    const { id, modelName, modelVersion } = found;
    const definition = { id, kind, apiVersion, model: { name: modelName, version: modelVersion } };
    return { valid: errors.length === 0, errors, warnings, definition };
  }

  private async verdict(resource: JsonObject, { schema, kind, apiVersion }: Definition): Promise<Verdict> {
    if (!schema)
      return { errors: [], warnings: [{ pointer: '', detail: 'its component has no schema', keyword: 'no-schema' }] };
    const input = { resource, schema, type: { kind, apiVersion } };
    if (schema.length + JSON.stringify(resource).length > AT_ONCE) return this.pool.run(validationTask, input);
    return validate(resource, JSON.parse(schema) as JsonObject, { type: input.type });
  }
}

/** The resource that a component of a design stands for, or what was sent when it is one itself. */
function resourceIn(component: JsonObject): JsonObject {
  if (!isObject(component['component'])) return component;
  const [read] = canonicalDesign({ components: [component] }, '').components;
  return read ? resourceOf(read) : component;
}
