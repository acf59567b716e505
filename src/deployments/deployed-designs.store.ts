import { Injectable } from '@nestjs/common';
import { named } from '../core/database/statements.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ObjectReference } from '../kubernetes/clusters/kubernetes-object.js';
import type { DeployedDesignRecord } from './deployed-design.entity.js';
import type { Deployment } from './deployment.entity.js';
import { versionFor } from './renderings/rendering.js';

/** A deployed design as callers see it. */
export type DeployedDesign = Omit<DeployedDesignRecord, 'organizationId' | 'previous'> & {
  /** Whether another deployment was there before the one in progress. */
  hasPrevious: boolean;
  /** Versions before this one that may still have objects on the cluster: none once a deployment has succeeded. */
  earlierVersions: number[];
};

/** The versions before the current one that may still have objects on the cluster, as a JSON array. @param row the table or its alias */
const earlierVersions = (
  row: string,
): string => `(SELECT coalesce(jsonb_agg(DISTINCT version), '[]') FROM jsonb_array_elements(
  coalesce(${row}.previous->'earlier_versions', '[]') || coalesce(${row}.previous->'design_version', '[]')) version)`;
const COLUMNS = `design_id AS "designId", connection_id AS "connectionId", environment_id AS "environmentId",
  workspace_id AS "workspaceId", deployment_id AS "deploymentId", design_version AS "designVersion", namespace, objects,
  coalesce(previous ? 'deployment_id', false) AS "hasPrevious", ${earlierVersions('deployed_design')} AS "earlierVersions"`;

/** What a deployment uses; an omitted field matches any value. */
export type DeploymentUse = Partial<
  Pick<DeployedDesign, 'designId' | 'connectionId' | 'environmentId' | 'workspaceId'>
>;

type UseConditions = Record<keyof DeploymentUse, (parameter: string) => string>;
const DEPLOYED: UseConditions = {
  designId: (id) => `design_id = ${id}`,
  connectionId: (id) => `connection_id = ${id}`,
  environmentId: (id) => `environment_id = ${id}`,
  workspaceId: (id) => `workspace_id = ${id}`,
};
const UNFINISHED: UseConditions = { ...DEPLOYED, connectionId: (id) => `${id} = ANY (connection_ids)` };

/** Where something is or will be deployed. The roles in the workspace and the tier of the environment decide who may act there. */
export interface DeploymentLocation {
  workspaceId: string;
  organizationId: string;
  environmentId: string;
}

@Injectable()
export class DeployedDesignsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Everything that is deployed of a design, through a connection, into an environment, or from a workspace. */
  findByUse({ designId, connectionId, environmentId, workspaceId }: DeploymentUse): Promise<DeployedDesign[]> {
    return this.unit.manager.query(
      `SELECT ${COLUMNS} FROM deployed_design
        WHERE ($1::uuid IS NULL OR design_id = $1) AND ($2::uuid IS NULL OR connection_id = $2)
          AND ($3::uuid IS NULL OR environment_id = $3) AND ($4::uuid IS NULL OR workspace_id = $4)
        ORDER BY environment_id, connection_id, design_id`,
      [designId ?? null, connectionId ?? null, environmentId ?? null, workspaceId ?? null],
    );
  }

  /** Whether a deployed design or an unfinished deployment uses it. */
  async isInUse(use: DeploymentUse): Promise<boolean> {
    const used = Object.entries(use) as [keyof DeploymentUse, string][];
    const where = (conditions: UseConditions): string =>
      used.map(([key], at) => conditions[key](`$${at + 1}`)).join(' AND ');
    const [row] = await this.unit.manager.query<{ used: boolean }[]>(
      named(`SELECT EXISTS (SELECT FROM deployed_design WHERE ${where(DEPLOYED)})
          OR EXISTS (SELECT FROM deployment WHERE finished_at IS NULL AND ${where(UNFINISHED)}) AS used`),
      used.map(([, id]) => id),
    );
    return row?.used ?? false;
  }

  /** All deployed instances of these designs. */
  findByDesigns(designIds: string[]): Promise<DeployedDesign[]> {
    return this.unit.manager.query(
      `SELECT ${COLUMNS} FROM deployed_design WHERE design_id = ANY ($1) ORDER BY design_id, environment_id, connection_id`,
      [designIds],
    );
  }

  /** The clusters on which one of these deployments is the current or the upcoming one. */
  findCurrent(deploymentIds: string[]): Promise<Pick<DeployedDesign, 'deploymentId' | 'connectionId'>[]> {
    return this.unit.manager.query(
      `SELECT deployment_id AS "deploymentId", connection_id AS "connectionId" FROM deployed_design WHERE deployment_id = ANY ($1)`,
      [deploymentIds],
    );
  }

  /** The namespaces that contain objects deployed through a connection. */
  async listNamespaces(connectionId: string, limit: number): Promise<string[]> {
    const rows = await this.unit.manager.query<{ namespace: string }[]>(
      `SELECT DISTINCT one.namespace FROM deployed_design d CROSS JOIN LATERAL (
         SELECT d.namespace UNION SELECT object->>'namespace' FROM jsonb_array_elements(d.objects) object) one
        WHERE d.connection_id = $1 AND one.namespace <> '' ORDER BY 1 LIMIT $2`,
      [connectionId, limit],
    );
    return rows.map(({ namespace }) => namespace);
  }

  /** Whether a deployment of the design into the environment is in progress. */
  async isChanging({ designId, environmentId }: Pick<DeployedDesign, 'designId' | 'environmentId'>): Promise<boolean> {
    const [row] = await this.unit.manager.query<{ changing: boolean }[]>(
      `SELECT EXISTS (SELECT FROM deployment WHERE design_id = $1 AND environment_id = $2 AND status = 'running') AS changing`,
      [designId, environmentId],
    );
    return row?.changing ?? false;
  }

  /** Whether neither the workspace nor the environment of a deployed design is archived or deleted. */
  async isActive({
    workspaceId,
    environmentId,
  }: Pick<DeployedDesign, 'workspaceId' | 'environmentId'>): Promise<boolean> {
    const [row] = await this.unit.manager.query<{ active: boolean }[]>(
      `SELECT EXISTS (SELECT FROM active_workspace WHERE id = $1)
          AND EXISTS (SELECT FROM environment WHERE id = $2 AND status = 'active' AND deleted_at IS NULL) AS active`,
      [workspaceId, environmentId],
    );
    return row?.active ?? false;
  }

  /** Where a design is deployed in an environment, or else the location from which it would be deployed now. Null for an unknown design. */
  async findLocation(designId: string, environmentId: string): Promise<DeploymentLocation | null> {
    const [place] = await this.unit.runAsSystem('the place of a deployment', () =>
      this.unit.manager.query<Omit<DeploymentLocation, 'environmentId'>[]>(
        `SELECT coalesce(deployed.workspace_id, d.workspace_id) AS "workspaceId", d.organization_id AS "organizationId"
           FROM design d LEFT JOIN deployed_design deployed ON deployed.design_id = d.id AND deployed.environment_id = $2
          WHERE d.id = $1 LIMIT 1`,
        [designId, environmentId],
      ),
    );
    return place ? { ...place, environmentId } : null;
  }

  async find(
    deployment: Pick<Deployment, 'designId' | 'environmentId'>,
    connectionId: string,
  ): Promise<DeployedDesign | null> {
    const [found] = await this.unit.manager.query<DeployedDesign[]>(
      `SELECT ${COLUMNS} FROM deployed_design WHERE design_id = $1 AND environment_id = $2 AND connection_id = $3`,
      [deployment.designId, deployment.environmentId, connectionId],
    );
    return found ?? null;
  }

  /** The version that stands there after a deployment other than this one; null when that has not succeeded. */
  async findStandingVersion(
    { id, designId, environmentId }: Pick<Deployment, 'designId' | 'environmentId'> & { id?: string },
    connectionId: string,
  ): Promise<number | null> {
    const [row] = await this.unit.runAsSystem('the version that stands', () =>
      this.unit.manager.query<{ version: number }[]>(
        `SELECT standing.version FROM deployed_design now CROSS JOIN LATERAL (
           SELECT now.deployment_id AS deployment, now.design_version AS version WHERE now.deployment_id IS DISTINCT FROM $4::uuid
           UNION ALL
           SELECT (now.previous->>'deployment_id')::uuid, (now.previous->>'design_version')::int
            WHERE now.deployment_id = $4::uuid) standing
           JOIN deployment ON deployment.id = standing.deployment AND deployment.status = 'succeeded'
          WHERE now.design_id = $1 AND now.environment_id = $2 AND now.connection_id = $3`,
        [designId, environmentId, connectionId, id ?? null],
      ),
    );
    return row?.version ?? null;
  }

  /**
   * Records the deployment before the first object is applied, so that every object on a cluster has a record. The previous
   * deployment is kept until this one has ended. Calling it again in another attempt has no further effect.
   */
  async begin(
    deployment: Deployment,
    connectionId: string,
    { objects, namespace }: { objects: ObjectReference[]; namespace: string | null },
  ): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO deployed_design AS now
         (design_id, connection_id, environment_id, organization_id, workspace_id, deployment_id, design_version, objects, namespace)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (design_id, connection_id, environment_id) DO UPDATE
         SET deployment_id = excluded.deployment_id, design_version = excluded.design_version, objects = excluded.objects,
           namespace = excluded.namespace,
           previous = CASE now.deployment_id WHEN excluded.deployment_id THEN now.previous
             ELSE jsonb_build_object('deployment_id', now.deployment_id, 'design_version', now.design_version,
               'objects', now.objects, 'namespace', now.namespace, 'earlier_versions', ${earlierVersions('now')}) END`,
      [
        deployment.designId,
        connectionId,
        deployment.environmentId,
        deployment.organizationId,
        deployment.workspaceId,
        deployment.id,
        versionFor(deployment, connectionId),
        JSON.stringify(objects),
        namespace,
      ],
    );
  }

  /** The deployment succeeded: these are all its objects on the cluster. */
  async complete(deployment: Deployment, connectionId: string, objects: ObjectReference[]): Promise<void> {
    await this.unit.manager.query(
      `UPDATE deployed_design SET objects = $3, previous = NULL WHERE deployment_id = $1 AND connection_id = $2`,
      [deployment.id, connectionId, JSON.stringify(objects)],
    );
  }

  /** The deployment failed and left objects, beside those of the previous deployment. */
  async keepBoth(deployment: Deployment, connectionId: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE deployed_design SET previous = jsonb_build_object('earlier_versions',
         ${earlierVersions('deployed_design')})
        WHERE deployment_id = $1 AND connection_id = $2 AND previous IS NOT NULL`,
      [deployment.id, connectionId],
    );
  }

  /** The deployment left no objects: the previous deployment is the current one again. */
  async revert(deployment: Deployment, connectionId: string): Promise<void> {
    const place = [deployment.id, connectionId];
    await this.unit.manager.query(
      `DELETE FROM deployed_design WHERE deployment_id = $1 AND connection_id = $2 AND previous IS NULL`,
      place,
    );
    await this.unit.manager.query(
      `UPDATE deployed_design SET deployment_id = (previous->>'deployment_id')::uuid,
         design_version = (previous->>'design_version')::int, objects = previous->'objects',
         namespace = previous->>'namespace',
         previous = CASE WHEN previous->'earlier_versions' <> '[]'
           THEN jsonb_build_object('earlier_versions', previous->'earlier_versions') END
       WHERE deployment_id = $1 AND connection_id = $2`,
      place,
    );
  }

  /** Moves the records of a deployed design to another workspace. */
  async moveToWorkspace(designId: string, workspaceId: string): Promise<void> {
    await this.unit.manager.query(`UPDATE deployed_design SET workspace_id = $2 WHERE design_id = $1`, [
      designId,
      workspaceId,
    ]);
  }

  async remove(deployment: Deployment, connectionId: string): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM deployed_design WHERE design_id = $1 AND environment_id = $2 AND connection_id = $3`,
      [deployment.designId, deployment.environmentId, connectionId],
    );
  }
}
