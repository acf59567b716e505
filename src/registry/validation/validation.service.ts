import { Injectable } from '@nestjs/common';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { toCanonicalDesign } from '../../formats/design-file/canonical-design.js';
import { toResource } from '../../formats/design-file/design-component.js';
import { isObject, type JsonObject, asText } from '../../core/json/json.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { ComponentsStore } from '../components/components.store.js';
import type { ValidationInput } from '../entities/registry.inputs.js';
import type { ValidationResult } from '../../validation/schema/findings.js';
import { validateResource, type ResourceTypeMeta } from '../../validation/validate-resource.js';
import { compileSchema } from '../../validation/validate-by-schema.js';
import { type ResourceToValidate, validationTask } from '../../validation/validation-task.js';
import {
  type KnownComponents,
  toResourceValidation,
  readTypeMeta,
  unknownKind,
  type ResourceValidation,
  WITHOUT_SCHEMA,
} from './resource-validation.js';

/** Characters of resource and schema up to which it is validated on this thread; larger ones go to a worker. */
const INLINE_MAX_CHARACTERS = 20_000;

/** Validates resources against the schemas of the registry, as the API server would. */
@Injectable()
export class ValidationService {
  constructor(
    private readonly components: ComponentsStore,
    private readonly pool: WorkerPool,
  ) {}

  /** Accepts a resource, or a component of a design. @throws InvalidRequest when it is neither, naming what is missing */
  async validate({ component, model }: ValidationInput): Promise<ResourceValidation> {
    const resource = readResource(component);
    const faults = ['apiVersion', 'kind']
      .filter((name) => asText(resource[name]) === '')
      .map((name): Fault => ({ pointer: `/component/${name}`, detail: 'is required' }));
    if (faults.length > 0)
      throw new InvalidRequest('component is neither a resource nor a component of a design', {
        errors: faults,
        remedy: 'Send a resource with apiVersion and kind, or a component with component.kind and component.version.',
      });
    return this.validateResource(resource, model);
  }

  private async validateResource(resource: JsonObject, model?: string): Promise<ResourceValidation> {
    const type = readTypeMeta(resource);
    const found = await this.components.findEffective(type.kind, { apiVersion: type.apiVersion, model });
    if (!found) return asInvalid(unknownKind(type, model));
    const { schema } = found;
    if (!schema) return toResourceValidation(found, WITHOUT_SCHEMA);
    if (schema.length + JSON.stringify(resource).length <= INLINE_MAX_CHARACTERS)
      return toResourceValidation(
        found,
        validateResource(resource, compileSchema(JSON.parse(schema) as JsonObject), type),
      );
    const [verdict] = await this.validateAgainst([{ resource, type, schema: '' }], new Map([['', schema]]));
    return toResourceValidation(found, verdict ?? WITHOUT_SCHEMA);
  }

  /** The components of some types, for validateResources. */
  async findComponents(types: readonly ResourceTypeMeta[]): Promise<KnownComponents> {
    const definitions = await this.components.findAllEffective(types);
    const digests = new Set(definitions.flatMap((each) => each.schemaDigest ?? []));
    return { definitions, schemas: await this.components.findSchemas([...digests]) };
  }

  /**
   * Validates resources against the given schemas, in a worker. The results are in the order of the resources.
   * @param schemas JSON Schemas as text, by the keys that the resources use
   * @throws InvalidRequest TOO_COSTLY when it takes too long
   */
  validateAgainst(resources: ResourceToValidate[], schemas: ReadonlyMap<string, string>): Promise<ValidationResult[]> {
    return this.pool.run(validationTask, { resources, schemas }, { lane: 'own' });
  }
}

/** Makes an unknown kind or missing schema an error, for a single resource; in a design it is a warning. */
const asInvalid = ({ warnings, ...verdict }: ResourceValidation): ResourceValidation => ({
  ...verdict,
  valid: false,
  errors: warnings,
  warnings: [],
});

/** The resource of a component of a design, or the input when it is one itself. */
function readResource(component: JsonObject): JsonObject {
  if (!isObject(component['component'])) return component;
  const [read] = toCanonicalDesign({ components: [component] }, '').components;
  return read ? toResource(read) : component;
}
