import { stringifyExact } from '../../core/json/large-integers.js';
import { isObject } from '../../core/json/json.js';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind, isSameKind } from '../../kubernetes/clusters/discovery.js';
import { toFieldPath, type Finding } from '../../validation/schema/findings.js';
import { type ValidationService } from '../../registry/validation/validation.service.js';
import { type DefinedKind, definedKinds } from './definitions.js';
import { type PlanItem } from './plan-item.js';
import { type ResourceError } from './planned-resource.js';

/** Validates resources against schemas that are not in the registry. */
export type SchemaValidator = Pick<ValidationService, 'validateAgainst'>;

const MAX_FAULTS = 20;

/** Validates custom resources against the CustomResourceDefinitions of the same design, if the cluster does not serve these yet. */
export class DefinitionValidator {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly validator: SchemaValidator,
    private readonly defined: DefinedKind[],
  ) {}

  /**
   * The errors of those items that the cluster cannot validate.
   * @param plan the complete plan, whose definitions have been compared with the cluster
   */
  async findErrors(items: PlanItem[], plan: PlanItem[]): Promise<Map<PlanItem, ResourceError>> {
    const candidates = [];
    const schemas = new Map<string, string>();
    for (const item of items) {
      const { kind, desired } = item;
      const schema = kind && this.findSchema(kind);
      if (!schema || !isObject(desired)) continue;
      const { apiVersion } = kind;
      const isServed = await this.cluster.findKind(apiVersion, kind.kind);
      if (isServed && !isRedefined(kind, plan)) continue;
      const key = `${apiVersion} ${kind.kind}`;
      if (!schemas.has(key)) schemas.set(key, stringifyExact(schema));
      candidates.push({ item, resource: desired, type: { apiVersion, kind: kind.kind }, schema: key });
    }
    if (candidates.length === 0) return new Map();
    const verdicts = await this.validator.validateAgainst(
      candidates.map(({ resource, type, schema }) => ({ resource, type, schema })),
      schemas,
    );
    const refusals = new Map<PlanItem, ResourceError>();
    for (const [index, { item }] of candidates.entries()) {
      const { errors } = verdicts[index] ?? { errors: [] };
      if (errors.length > 0) refusals.set(item, toResourceError(errors));
    }
    return refusals;
  }

  private findSchema({ apiVersion, kind }: ResourceKind): DefinedKind['schema'] {
    return this.defined.find((one) => one.kind.apiVersion === apiVersion && one.kind.kind === kind)?.schema;
  }
}

/** Whether this plan changes the CustomResourceDefinition of the kind, which makes a dry run under the current one inconclusive. */
export function isRedefined(kind: ResourceKind, plan: PlanItem[]): boolean {
  return plan.some(
    ({ planned, desired }) =>
      desired &&
      planned.diff.some(({ path }) => path.startsWith('/spec')) &&
      definedKinds(desired).some((one) => isSameKind(one.kind, kind)),
  );
}

/** Formats the errors as the API server does, missing fields first. */
function toResourceError(errors: Finding[]): ResourceError {
  const isMissing = ({ keyword }: Finding) => keyword === 'required';
  const faults = [...errors.filter(isMissing), ...errors.filter((error) => !isMissing(error))]
    .slice(0, MAX_FAULTS)
    .map(({ pointer, detail }) => ({ field: toFieldPath(pointer) || '(root)', detail }));
  return {
    reason: 'INVALID',
    field: faults.map(({ field }) => field).join(', '),
    detail: faults.map(({ field, detail }) => `${field}: ${detail}`).join('; '),
  };
}
