import { PaginatedView } from '../../core/listing/page.js';
import {
  IdField,
  IntField,
  MapField,
  MapsField,
  RecordsField,
  TextField,
  TextMapField,
  TextsField,
  TimeField,
  WordField,
} from '../../core/schema/view-fields.js';
import type { ClusterResource } from '../../kubernetes/resources/cluster-resource.entity.js';
import type { ResourceSummary } from '../../kubernetes/resources/cluster-resources.service.js';
import { ResourceHealthView } from '../resource-health.view.js';
import {
  MISSING_REASONS,
  type MissingKind,
  WATCH_STATUSES,
} from '../../kubernetes/resources/watch/cluster-watch.entity.js';

export class ClusterResourceView {
  @IdField({ rest: true })
  id!: string;

  @IdField({ rest: true })
  connection_id!: string;

  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true, description: 'Null for a kind that is not namespaced.' })
  namespace!: string | null;

  @TextField({ rest: true })
  name!: string;

  @TextMapField({ rest: true, description: 'The labels.' })
  labels!: Record<string, string>;

  @MapField({
    of: () => ResourceHealthView,
    rest: true,
    nullable: true,
    description: 'Null for a kind that has no health.',
  })
  health!: ResourceHealthView | null;

  @IdField({ rest: true, nullable: true, description: 'The design that it comes from; null when it comes from none.' })
  design_id!: string | null;

  @IdField({ rest: true, nullable: true, description: 'The deployment that owns it; null when none does.' })
  deployment_id!: string | null;

  @TimeField({ rest: true, description: 'When it was made on the cluster.' })
  created_at!: Date;

  @TimeField({ rest: true, description: 'When it was last seen to change.' })
  updated_at!: Date;

  @TimeField({
    rest: true,
    nullable: true,
    description: 'Since when the cluster cannot be followed, and this may be out of date; null while it is.',
  })
  stale_since!: Date | null;

  @MapField({
    rest: true,
    optional: true,
    description: 'The object without managed fields and secret values; of a single one.',
  })
  content?: object;

  @TextsField({ rest: true, optional: true, description: 'JSON Pointers of what of it was too large to be kept.' })
  omitted?: string[];

  /**
   * @param deploymentId the current deployment at the location of the resource
   * @param staleSince since when the watch of the cluster is stale
   */
  static fromEntity(
    this: void,
    resource: ClusterResource,
    deploymentId: string | null,
    staleSince: Date | null,
  ): ClusterResourceView {
    const { health, healthMessage, content } = resource;
    return Object.assign(new ClusterResourceView(), {
      id: resource.id,
      connection_id: resource.connectionId,
      api_version: resource.apiVersion,
      kind: resource.kind,
      namespace: resource.namespace || null,
      name: resource.name,
      labels: resource.labels,
      health: health && { status: health, message: healthMessage },
      design_id: resource.designId,
      deployment_id: deploymentId,
      created_at: resource.createdAt,
      updated_at: resource.updatedAt,
      stale_since: staleSince,
      ...((content as object | undefined) && { content, omitted: resource.omitted }),
    });
  }
}

export const ClusterResourcePage = PaginatedView(ClusterResourceView, 'resources', 'ClusterResourcePage');

export class ResourceCountView {
  @TextField({ rest: true })
  name!: string;

  @IntField({ rest: true })
  count!: number;
}

/** A kind that is not watched. */
class MissingKindView implements MissingKind {
  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true, description: '`*` for all kinds of an API whose server does not respond.' })
  kind!: string;

  @WordField(MISSING_REASONS, {
    rest: true,
    description: '`partial` kinds are watched in some namespaces; `unavailable` is the server of an aggregated API.',
  })
  reason!: MissingKind['reason'];

  @TextField({ rest: true })
  detail!: string;

  @TextsField({ rest: true, optional: true, description: 'The namespaces in which a partial kind is watched.' })
  namespaces?: string[];
}

export class WatchSummaryView {
  @IdField({ rest: true })
  connection_id!: string;

  @WordField(WATCH_STATUSES, { rest: true, description: 'The status of the watch of the cluster.' })
  status!: string;

  @TextField({ rest: true, nullable: true, description: 'Why it fails; null while it does not.' })
  error!: string | null;

  @IntField({ rest: true, description: 'How many kinds are watched.' })
  kinds!: number;

  @MapsField({ of: () => MissingKindView, rest: true, description: 'Kinds that are not watched.' })
  missing!: MissingKind[];

  @TimeField({ rest: true, nullable: true, description: 'When everything had been listed; null until then.' })
  synced_at!: Date | null;

  @TimeField({
    rest: true,
    nullable: true,
    description: 'Since when the stored resources may be out of date; null while they are up to date.',
  })
  stale_since!: Date | null;
}

export class ResourceSummaryView implements ResourceSummary {
  @RecordsField(() => ResourceCountView, { rest: true, description: 'Resources by kind.' })
  kinds!: ResourceCountView[];

  @RecordsField(() => ResourceCountView, { rest: true, description: 'Resources by namespace.' })
  namespaces!: ResourceCountView[];

  @RecordsField(() => ResourceCountView, { rest: true, description: 'Resources by label, the most used first.' })
  labels!: ResourceCountView[];

  @RecordsField(() => WatchSummaryView, { rest: true, description: 'The status of the watch of each cluster.' })
  connections!: ResourceSummary['connections'];
}
