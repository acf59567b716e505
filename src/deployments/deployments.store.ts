import type { LogReaders } from '../environments/environment.entity.js';
import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access, administeredSql } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { Store } from '../core/database/store.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { NotFound } from '../core/errors/app-error.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { booleanFilter, equalsFilter, nameColumn, wordFilter, type Listing } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { Rendering } from './renderings/rendering.js';
import type { DeploymentUse } from './deployed-designs.store.js';
import {
  DEPLOYMENT_ACTIONS,
  DEPLOYMENT_STATUSES,
  type DeploymentOptions,
  type DeploymentStatus,
  Deployment,
} from './deployment.entity.js';

/** It made what is on a cluster now. */
const STANDING = 'EXISTS (SELECT FROM deployed_design standing WHERE standing.deployment_id = deployment.id)';

const listing: Listing<Deployment> = {
  alias: 'deployment',
  pageSize: 20,
  order: {
    name: nameColumn('deployment.name', ({ name }) => name),
    status: { sql: 'deployment.status', type: 'text', getValue: ({ status }) => status },
    created_at: { sql: 'deployment.created_at', type: 'timestamptz', getValue: ({ createdAt }) => createdAt },
    updated_at: { sql: 'deployment.updated_at', type: 'timestamptz', getValue: ({ updatedAt }) => updatedAt },
  },
  defaultOrder: 'created_at desc',
  search: ['deployment.name'],
  searchFunction: 'search_deployment',
  filter: {
    status: wordFilter('status', 'deployment.status', DEPLOYMENT_STATUSES),
    action: wordFilter('action', 'deployment.action', DEPLOYMENT_ACTIONS),
    workspace_id: equalsFilter('workspace_id', 'deployment.workspace_id::text'),
    design_id: equalsFilter('design_id', 'deployment.design_id::text'),
    environment_id: equalsFilter('environment_id', 'deployment.environment_id::text'),
    deployed: booleanFilter('deployed', (rows, yes) => void rows.andWhere(yes ? STANDING : `NOT ${STANDING}`)),
  },
};

/** Filters of a list of deployments in addition to those of every list. */
export interface DeploymentScope {
  organizationId?: string;
  workspaceId?: string;
  designId?: string;
  environmentId?: string;
  status?: DeploymentStatus;
}

/** What was deployed on one cluster before a deployment: a version and its namespace, or nulls for nothing. */
export interface PreviousVersion {
  connectionId: string;
  designVersion: number | null;
  renderings: Record<string, Rendering> | null;
  options: DeploymentOptions | null;
}

/** Deployments, visible to the members of their workspace. */
@Injectable()
export class DeploymentsStore extends Store<Deployment> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Deployment, 'deployment');
  }

  async page(actor: Actor, scope: DeploymentScope, query: ListQuery): Promise<Page<Deployment>> {
    const { workspaceId, designId, environmentId, status } = scope;
    const organizationId =
      scope.organizationId ?? (workspaceId || designId ? undefined : await this.access.findOnlyOrganization(actor));
    const rows = organizationId
      ? (
          await this.access.onlyVisibleIn(this.createQueryBuilder(), 'deployment', 'workspace', actor, organizationId, {
            column: 'workspace_id',
          })
        ).rows
      : this.visibleTo(actor);
    if (workspaceId) rows.andWhere('deployment.workspace_id = :workspaceId', { workspaceId });
    if (designId) rows.andWhere('deployment.design_id = :designId', { designId });
    if (environmentId) rows.andWhere('deployment.environment_id = :environmentId', { environmentId });
    if (status) rows.andWhere('deployment.status = :status', { status });
    return this.paginate(rows, listing, query);
  }

  /** The user who asked to cancel the job of a deployment. */
  async findCanceller(id: string): Promise<string | null> {
    const [job] = await this.unit.manager.query<{ by: string | null }[]>(
      'SELECT job.cancelled_by AS by FROM deployment JOIN job ON job.id = deployment.job_id WHERE deployment.id = $1',
      [id],
    );
    return job?.by ?? null;
  }

  find(actor: Actor, id: string): Promise<Deployment | null> {
    return this.getOne(this.visibleTo(actor).andWhere('deployment.id = :id', { id }));
  }

  /** @throws NotFound when no such deployment is visible to the actor */
  async get(actor: Actor, id: string): Promise<Deployment> {
    return orNotFound(id, await this.find(actor, id));
  }

  /** As `get`, and locks the row until the end of the transaction. */
  async getForUpdate(actor: Actor, id: string): Promise<Deployment> {
    return orNotFound(id, await this.lock(actor, id));
  }

  lock(actor: Actor, id: string): Promise<Deployment | null> {
    return this.getOne(this.visibleTo(actor).andWhere('deployment.id = :id', { id }).setLock('pessimistic_write'));
  }

  /** The number of deployments (without undeployments and rollbacks) accepted in a workspace since midnight UTC. */
  async countToday(workspaceId: string): Promise<number> {
    return this.createQueryBuilder()
      .where(`deployment.workspace_id = :workspaceId AND deployment.action = 'deploy'`, { workspaceId })
      .andWhere(`deployment.created_at >= date_trunc('day', now(), 'UTC')`)
      .getCount();
  }

  /** Ids of the deployments whose request for approval has expired, oldest first. */
  async findOverdueApprovals(limit: number): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT id FROM deployment WHERE status = 'pending_approval' AND approval_expires_at <= now()
        ORDER BY approval_expires_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether a design has deployments, also finished ones. */
  existsOfDesign(designId: string): Promise<boolean> {
    return this.createQueryBuilder().andWhere('deployment.design_id = :designId', { designId }).getExists();
  }

  /** Unfinished deployments that use something. */
  findUnfinished({ designId, connectionId, environmentId, workspaceId }: DeploymentUse): Promise<Deployment[]> {
    const rows = this.createQueryBuilder().andWhere('deployment.finished_at IS NULL');
    if (designId) rows.andWhere('deployment.design_id = :designId', { designId });
    if (connectionId) rows.andWhere(':connectionId = ANY(deployment.connection_ids)', { connectionId });
    if (environmentId) rows.andWhere('deployment.environment_id = :environmentId', { environmentId });
    if (workspaceId) rows.andWhere('deployment.workspace_id = :workspaceId', { workspaceId });
    return rows.orderBy('deployment.id').getMany();
  }

  /** Sets `queuePosition` of the deployments that are queued. */
  async findQueuePositions(deployments: Deployment[]): Promise<void> {
    const queued = new Map(
      deployments.filter(({ status }) => status === 'queued').map((deployment) => [deployment.id, deployment]),
    );
    if (queued.size === 0) return;
    const rows = await this.unit.runAsSystem('the positions in a queue', () =>
      this.unit.manager.query<{ id: string; position: number }[]>(
        `SELECT d.id, (SELECT count(*) FROM job earlier WHERE earlier.serial_key = job.serial_key AND earlier.status = 'queued'
                          AND earlier.position <= job.position)::int AS position
           FROM deployment d JOIN job ON job.id = d.job_id AND job.status = 'queued' WHERE d.id = ANY($1)`,
        [[...queued.keys()]],
      ),
    );
    for (const { id, position } of rows) Object.assign(queued.get(id) ?? {}, { queuePosition: position });
  }

  /** What was deployed on each cluster before a deployment: the last deployment that succeeded there. */
  findPrevious({
    id,
    designId,
    environmentId,
    connectionIds,
    startedAt,
    createdAt,
  }: Deployment): Promise<PreviousVersion[]> {
    return this.unit.manager.query(
      `SELECT cluster.id AS "connectionId", before.design_version AS "designVersion", before.renderings, before.options
         FROM unnest($3::uuid[]) AS cluster (id) LEFT JOIN LATERAL (
           SELECT d.action, d.design_version, d.renderings, d.options FROM deployment d
            WHERE d.design_id = $1 AND d.environment_id = $2 AND cluster.id = ANY (d.connection_ids)
              AND d.status IN ('succeeded', 'undeployed') AND d.finished_at <= $4 AND d.id <> $5
            ORDER BY d.finished_at DESC LIMIT 1) before ON before.action <> 'undeploy'`,
      [designId, environmentId, connectionIds, startedAt ?? createdAt, id],
    );
  }

  /** How many deployments of a design have ended on a cluster since it was last undeployed there. */
  async countRevisions(place: { designId: string; environmentId: string; connectionId: string }): Promise<number> {
    const { designId, environmentId, connectionId } = place;
    const [row] = await this.unit.runAsSystem('the revision of a chart', () =>
      this.unit.manager.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM deployment d
          WHERE design_id = $1 AND environment_id = $2 AND $3 = ANY (connection_ids) AND action <> 'undeploy'
            AND status IN ('succeeded', 'failed', 'queued', 'running') AND NOT EXISTS (
              SELECT FROM deployment later WHERE later.design_id = $1 AND later.environment_id = $2
                AND $3 = ANY (later.connection_ids) AND later.status = 'undeployed' AND later.finished_at > d.finished_at)`,
        [designId, environmentId, connectionId],
      ),
    );
    return row?.count ?? 0;
  }

  /** The last successful deployment of a version to the destination of another one, on all of its clusters. */
  findOfVersion({ designId, environmentId, connectionIds }: Deployment, version: number): Promise<Deployment | null> {
    return this.createQueryBuilder()
      .andWhere('deployment.design_id = :designId AND deployment.environment_id = :environmentId', {
        designId,
        environmentId,
      })
      .andWhere(`deployment.status = 'succeeded' AND deployment.connection_ids @> :connectionIds::uuid[]`, {
        connectionIds,
      })
      .andWhere('deployment.design_version = :version', { version })
      .orderBy('deployment.finished_at', 'DESC')
      .limit(1)
      .getOne();
  }

  /** Who reads the logs of what is deployed to an environment; of a deleted one, editors. */
  async findLogReaders(environmentId: string): Promise<LogReaders> {
    const [row] = await this.unit.runAsSystem('who reads the logs of an environment', () =>
      this.unit.manager.query<{ logs: LogReaders }[]>(
        `SELECT logs FROM environment WHERE id = $1 AND deleted_at IS NULL`,
        [environmentId],
      ),
    );
    return row?.logs ?? 'editor';
  }

  private visibleTo(actor: Actor): SelectQueryBuilder<Deployment> {
    const rows = this.createQueryBuilder();
    if (actor.isSystem) return rows;
    return rows.andWhere(
      `(${administeredSql('deployment', ':actorId')} OR deployment.workspace_id IN (
         SELECT granted_resources(:actorId, 'workspace')))`,
      { actorId: actor.userId },
    );
  }
}

function orNotFound(id: string, deployment: Deployment | null): Deployment {
  if (!deployment) throw new NotFound('deployment', id);
  return deployment;
}
