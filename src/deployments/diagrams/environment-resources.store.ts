import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { HealthStatus } from '../../kubernetes/resources/health/health-status.js';

/** The number of objects of one kind with the same health in one namespace of a cluster. */
export interface ResourceCount {
  connection_id: string;
  /** Empty for cluster-scoped kinds. */
  namespace: string;
  group: string;
  kind: string;
  health: HealthStatus | null;
  count: number;
}

export interface NamedResource extends Omit<ResourceCount, 'count'> {
  name: string;
  message: string | null;
}

export interface FoundResource extends NamedResource {
  design_id: string | null;
}

/** The clusters to read, and optionally a single namespace. */
export interface RunningScope {
  connectionIds: string[];
  namespace?: string;
}

/** Maximum number of rows; in larger environments, the largest counts are shown. */
const MAX_COUNTS = 5_000;
const KEY = `connection_id, namespace, CASE WHEN api_version LIKE '%/%' THEN split_part(api_version, '/', 1) ELSE '' END`;
const IN_SCOPE = `connection_id = ANY ($1) AND ($2::text IS NULL OR namespace = $2)`;

/** The resources on clusters, without contents. The caller has checked the right to see the connections. */
@Injectable()
export class EnvironmentResourcesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The largest counts first. */
  count({ connectionIds, namespace }: RunningScope): Promise<ResourceCount[]> {
    return this.unit.manager.query(
      `SELECT ${KEY} AS "group", kind, health, count(*)::int AS count FROM cluster_resource
        WHERE ${IN_SCOPE} GROUP BY 1, 2, 3, 4, 5 ORDER BY count DESC, 1, 2, 3, 4 LIMIT ${MAX_COUNTS}`,
      [connectionIds, namespace ?? null],
    );
  }

  /** Up to `limit` resources: all, or only unhealthy ones. */
  list({ connectionIds, namespace }: RunningScope, isUnwell: boolean, limit: number): Promise<FoundResource[]> {
    const condition = isUnwell ? `AND health NOT IN ('Healthy', 'Suspended')` : '';
    return this.unit.manager.query(
      `SELECT ${KEY} AS "group", kind, name, health, health_message AS message, design_id FROM cluster_resource
        WHERE ${IN_SCOPE} ${condition} ORDER BY connection_id, namespace, kind, name LIMIT $3`,
      [connectionIds, namespace ?? null, limit],
    );
  }
}
