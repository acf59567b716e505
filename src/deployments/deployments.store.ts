import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access, administeredSql } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { Store } from '../core/database/store.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { NotFound } from '../core/errors/app-error.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { equalsFilter, wordFilter, type Listing } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { DeploymentUse } from './deployed-designs.store.js';
import { DEPLOYMENT_ACTIONS, DEPLOYMENT_STATUSES, Deployment } from './deployment.entity.js';

const listing: Listing<Deployment> = {
  alias: 'deployment',
  pageSize: 20,
  order: {
    name: { sql: 'deployment.name', type: 'text', getValue: ({ name }) => name },
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
    design_id: equalsFilter('design_id', 'deployment.design_id::text'),
    environment_id: equalsFilter('environment_id', 'deployment.environment_id::text'),
  },
};

/** What narrows a list of deployments beside the query that every list has. */
export interface DeploymentScope {
  organizationId?: string;
  workspaceId?: string;
  designId?: string;
}

/** Deployments as the members of their workspace see them. */
@Injectable()
export class DeploymentsStore extends Store<Deployment> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Deployment, 'deployment');
  }

  async page(actor: Actor, scope: DeploymentScope, query: ListQuery): Promise<Page<Deployment>> {
    const { workspaceId, designId } = scope;
    const organizationId =
      scope.organizationId ?? (workspaceId || designId ? undefined : await this.access.findOnlyOrganization(actor));
    const rows = organizationId
      ? await this.access.onlyVisibleIn(this.createQueryBuilder(), 'deployment', 'workspace', actor, organizationId, {
          column: 'workspace_id',
        })
      : this.visibleTo(actor);
    if (workspaceId) rows.andWhere('deployment.workspace_id = :workspaceId', { workspaceId });
    if (designId) rows.andWhere('deployment.design_id = :designId', { designId });
    return this.paginate(rows, listing, query);
  }

  find(actor: Actor, id: string): Promise<Deployment | null> {
    return this.getOne(this.visibleTo(actor).andWhere('deployment.id = :id', { id }));
  }

  /** @throws NotFound when there is none that the actor may see */
  async get(actor: Actor, id: string): Promise<Deployment> {
    return orNotFound(id, await this.find(actor, id));
  }

  /** The same, locked until the end of the unit of work. */
  async getForUpdate(actor: Actor, id: string): Promise<Deployment> {
    return orNotFound(id, await this.lock(actor, id));
  }

  lock(actor: Actor, id: string): Promise<Deployment | null> {
    return this.getOne(this.visibleTo(actor).andWhere('deployment.id = :id', { id }).setLock('pessimistic_write'));
  }

  /** How many deployments of designs (undeployments and rollbacks apart) were accepted in a workspace since midnight UTC. */
  async countToday(workspaceId: string): Promise<number> {
    return this.createQueryBuilder()
      .where(`deployment.workspace_id = :workspaceId AND deployment.action = 'deploy'`, { workspaceId })
      .andWhere(`deployment.created_at >= date_trunc('day', now(), 'UTC')`)
      .getCount();
  }

  /** Ids of requests that have waited too long for their approvals, the oldest first. */
  async findOverdueApprovals(limit: number): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT id FROM deployment WHERE status = 'pending_approval' AND approval_expires_at <= now()
        ORDER BY approval_expires_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Those that use something and have not ended. */
  findUnfinished({ designId, connectionId, environmentId, workspaceId }: DeploymentUse): Promise<Deployment[]> {
    const rows = this.createQueryBuilder().andWhere('deployment.finished_at IS NULL');
    if (designId) rows.andWhere('deployment.design_id = :designId', { designId });
    if (connectionId) rows.andWhere(':connectionId = ANY(deployment.connection_ids)', { connectionId });
    if (environmentId) rows.andWhere('deployment.environment_id = :environmentId', { environmentId });
    if (workspaceId) rows.andWhere('deployment.workspace_id = :workspaceId', { workspaceId });
    return rows.orderBy('deployment.id').getMany();
  }

  /**
   * The last deployment that succeeded where another one goes, on all of its clusters.
   * @param which a version; without one, another version than that deployment's, from before it began
   */
  findEarlier(than: Deployment, which: { version?: number }): Promise<Deployment | null> {
    const { designId, environmentId, connectionIds, designVersion, action, startedAt, createdAt } = than;
    const rows = this.createQueryBuilder()
      .andWhere('deployment.design_id = :designId AND deployment.environment_id = :environmentId', {
        designId,
        environmentId,
      })
      .andWhere(`deployment.status = 'succeeded' AND deployment.connection_ids @> :connectionIds::uuid[]`, {
        connectionIds,
      });
    const { version } = which;
    if (version !== undefined) rows.andWhere('deployment.design_version = :version', { version });
    else rows.andWhere('deployment.finished_at <= :begun', { begun: startedAt ?? createdAt });
    if (version === undefined && action !== 'undeploy')
      rows.andWhere('deployment.design_version <> :designVersion', { designVersion });
    return rows.orderBy('deployment.finished_at', 'DESC').limit(1).getOne();
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
