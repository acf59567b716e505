import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import {
  countRequiredApprovals,
  type Environment,
  type EnvironmentStatus,
  type Tier,
} from '../../environments/environment.entity.js';

/** The current state of what a deployment depends on. */
export interface TargetState {
  /** Null when the design is deleted. */
  designWorkspaceId: string | null;
  environment: string;
  status: EnvironmentStatus;
  /** Whether the environment is assigned to the workspace. */
  isAssigned: boolean;
  /** The connections of the deployment that are still in the environment. */
  connectionIds: string[];
}

/** The protection settings of an environment. */
export interface TargetProtection {
  tier: Tier;
  requiredApprovals: number;
}

@Injectable()
export class TargetsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Locks design, environment and connections until the end of the transaction, in this order and after the workspace, so that none
   * of them is deleted, moved or unassigned while a deployment that uses them is created.
   */
  lock({
    workspaceId,
    designId,
    environmentId,
    connectionIds,
  }: {
    workspaceId: string;
    designId: string;
    environmentId: string;
    connectionIds: string[];
  }): Promise<TargetState | undefined> {
    return this.unit.runAsSystem('the target of a deployment', async () => {
      const { manager } = this.unit;
      const [design] = await manager.query<{ id: string }[]>(
        `SELECT workspace_id AS id FROM design WHERE id = $1 AND deleted_at IS NULL FOR SHARE`,
        [designId],
      );
      await manager.query(`SELECT FROM environment WHERE id = $1 FOR SHARE`, [environmentId]);
      await manager.query(`SELECT FROM connection WHERE id = ANY($1) ORDER BY id FOR SHARE`, [connectionIds]);
      const [state] = await manager.query<Omit<TargetState, 'designWorkspaceId'>[]>(
        `SELECT e.name AS environment, e.status,
                EXISTS (SELECT FROM workspace_environment a
                         WHERE a.workspace_id = $1 AND a.environment_id = e.id AND a.deleted_at IS NULL) AS "isAssigned",
                ARRAY(SELECT c.id FROM environment_connection m
                        JOIN connection c ON c.id = m.connection_id AND c.deleted_at IS NULL AND c.kind = 'kubernetes'
                       WHERE m.environment_id = e.id AND m.deleted_at IS NULL AND c.id = ANY($3)) AS "connectionIds"
           FROM environment e WHERE e.id = $2 AND e.deleted_at IS NULL`,
        [workspaceId, environmentId, connectionIds],
      );
      return state && { ...state, designWorkspaceId: design?.id ?? null };
    });
  }

  /** Whether an environment is assigned to a workspace. */
  async isAssigned(workspaceId: string, environmentId: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT FROM workspace_environment a JOIN environment e ON e.id = a.environment_id AND e.deleted_at IS NULL
        WHERE a.workspace_id = $1 AND a.environment_id = $2 AND a.deleted_at IS NULL`,
      [workspaceId, environmentId],
    );
    return rows.length > 0;
  }

  /** The protection of an environment, including a deleted one; an unknown environment counts as production. */
  async findProtection(environmentId: string): Promise<TargetProtection> {
    const [row] = await this.unit.runAsSystem('the protection of an environment', () =>
      this.unit.manager.query<Pick<Environment, 'tier' | 'requiredApprovals'>[]>(
        `SELECT tier, required_approvals AS "requiredApprovals" FROM environment WHERE id = $1`,
        [environmentId],
      ),
    );
    const { tier, requiredApprovals } = row ?? { tier: 'production', requiredApprovals: null };
    return { tier, requiredApprovals: countRequiredApprovals({ tier, requiredApprovals }) };
  }
}
