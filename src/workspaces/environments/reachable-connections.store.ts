import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { EnvironmentStatus, Tier } from '../../environments/environment.entity.js';

/** A cluster that a workspace can use through one of its environments. */
export interface ReachableConnection {
  environmentId: string;
  environment: string;
  tier: Tier;
  status: EnvironmentStatus;
  connectionId: string;
  connection: string;
}

@Injectable()
export class ReachableConnectionsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The Kubernetes connections of the environments of a workspace. */
  findByWorkspace(workspaceId: string): Promise<ReachableConnection[]> {
    return this.unit.manager.query(
      `SELECT e.id AS "environmentId", e.name AS environment, e.tier, e.status, c.id AS "connectionId", c.name AS connection
         FROM workspace_environment a
         JOIN environment e ON e.id = a.environment_id AND e.deleted_at IS NULL
         JOIN environment_connection m ON m.environment_id = e.id AND m.deleted_at IS NULL
         JOIN connection c ON c.id = m.connection_id AND c.deleted_at IS NULL AND c.kind = 'kubernetes'
        WHERE a.workspace_id = $1 AND a.deleted_at IS NULL
        ORDER BY e.name, e.id, c.name, c.id`,
      [workspaceId],
    );
  }
}
