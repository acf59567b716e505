import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { findCurrentVersion, writeVersionRemedy } from '../../kubernetes/clusters/current-version.js';
import { type DefinedKind } from './definitions.js';
import { buildDesiredObject, parseDesired } from './desired-object.js';
import { isOwnedBy, type Owner } from './owner.js';
import { type PlanItem } from './plan-item.js';
import { apiUnavailable, type DesiredResource, type PlannedResource, type ResourceError } from './planned-resource.js';

/** Creates plan items from the design, before they are compared with the cluster. */
export class DraftItems {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly owner: Owner,
    private readonly options: { namespace?: string; signal?: AbortSignal },
  ) {}

  /** The namespace of objects that name none. */
  get fallback(): string {
    return this.options.namespace || this.cluster.namespace || 'default';
  }

  /** @param defined kinds that the design itself defines */
  async draft(
    { component, object: given, isChartDefinition }: DesiredResource,
    defined: DefinedKind[],
  ): Promise<PlanItem> {
    const metadata = (given['metadata'] ?? {}) as Record<string, unknown>;
    const text = (value: unknown) => (typeof value === 'string' ? value : '');
    const planned: PlannedResource = {
      component,
      api_version: text(given['apiVersion']),
      kind: text(given['kind']),
      namespace: text(metadata['namespace']) || null,
      name: text(metadata['name']),
      action: 'create',
      diff: [],
      verified: false,
      warnings: [],
    };
    const shape = parseDesired(given);
    if ('error' in shape) return { planned: { ...planned, error: shape.error } };
    const { object } = shape;
    const kind =
      (await this.cluster.findKind(object.apiVersion, object.kind)) ??
      defined.find((one) => one.kind.apiVersion === object.apiVersion && one.kind.kind === object.kind)?.kind;
    if (!kind) return { planned: { ...planned, error: await this.unknownKind(object) } };
    const desired = buildDesiredObject(object, kind, isChartDefinition ? null : this.owner, this.fallback);
    const namespace = desired.metadata.namespace ?? null;
    return {
      planned: { ...planned, namespace },
      desired,
      kind,
      isInFallback: planned.namespace !== namespace,
      ...(isChartDefinition && { isChartDefinition }),
    };
  }

  /**
   * An item for the namespace of objects that name none; undefined when the design contains it, or it exists and belongs to another
   * owner.
   */
  async draftNamespace(items: PlanItem[]): Promise<PlanItem | undefined> {
    const name = this.fallback;
    if (items.some(({ planned }) => planned.kind === 'Namespace' && planned.name === name)) return undefined;
    const kind = await this.cluster.findKind('v1', 'Namespace');
    const live = kind && (await this.cluster.lookup(kind, name, undefined, this.options.signal));
    if (live && !isOwnedBy(this.owner, live)) return undefined;
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const item = await this.draft({ component: '', object }, []);
    return { ...item, planned: { ...item.planned, component: null } };
  }

  private async unknownKind({ apiVersion, kind }: { apiVersion: string; kind: string }): Promise<ResourceError> {
    if (await this.cluster.isUnavailable(apiVersion)) return apiUnavailable(apiVersion);
    const known = (await this.cluster.listKinds()).filter((one) => one.kind === kind).map((one) => one.apiVersion);
    const hint =
      known.length > 0
        ? `it serves that kind as ${known.join(', ')}`
        : 'its definition is neither on the cluster nor in the design';
    const current = findCurrentVersion(apiVersion, known);
    const remedy = current && writeVersionRemedy(current);
    return {
      reason: 'UNKNOWN_KIND',
      ...(remedy && { remedy }),
      field: 'kind',
      detail: `The cluster serves no ${kind} of ${apiVersion}: ${hint}`,
    };
  }
}
