import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { EnvironmentStatus, Tier } from '../../environments/environment.entity.js';

/** A cluster that a workspace reaches through one of its environments. */
export interface Reachable {
  environmentId: string;
  environment: string;
  tier: Tier;
  status: EnvironmentStatus;
  connectionId: string;
  connection: string;
}

@Injectable()
export class TargetsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The Kubernetes connections of the environments of a workspace. */
  ofWorkspace(workspaceId: string): Promise<Reachable[]> {
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

  /** The tier that an environment has or had; production when it is not known any more, so that nothing is loosened. */
  async tierOf(environmentId: string): Promise<Tier> {
    const [row] = await this.unit.asSystem('tier', () =>
      this.unit.manager.query<{ tier: Tier }[]>(`SELECT tier FROM environment WHERE id = $1`, [environmentId]),
    );
    return row?.tier ?? 'production';
  }
}
