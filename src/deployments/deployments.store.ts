import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { administeredSql } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { Store } from '../core/database/store.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { NotFound } from '../core/errors/app-error.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { equalsFilter, type Listing } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { DeploymentUse } from './deployed-designs.store.js';
import { Deployment } from './deployment.entity.js';

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
  filter: {
    status: equalsFilter('status', 'deployment.status'),
    action: equalsFilter('action', 'deployment.action'),
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
  constructor(unit: UnitOfWork) {
    super(unit, Deployment, 'deployment');
  }

  page(actor: Actor, scope: DeploymentScope, query: ListQuery): Promise<Page<Deployment>> {
    const rows = this.visibleTo(actor);
    if (scope.organizationId) rows.andWhere('deployment.organization_id = :organizationId', scope);
    if (scope.workspaceId) rows.andWhere('deployment.workspace_id = :workspaceId', scope);
    if (scope.designId) rows.andWhere('deployment.design_id = :designId', scope);
    return this.paginate(rows, listing, query);
  }

  find(actor: Actor, id: string): Promise<Deployment | null> {
    return this.visibleTo(actor).andWhere('deployment.id = :id', { id }).getOne();
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
    return this.visibleTo(actor).andWhere('deployment.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  /** How many deployments of designs (undeployments and rollbacks apart) were accepted in a workspace since midnight UTC. */
  async countToday(workspaceId: string): Promise<number> {
    return this.createQueryBuilder()
      .where(`deployment.workspace_id = :workspaceId AND deployment.action = 'deploy'`, { workspaceId })
      .andWhere(`deployment.created_at >= date_trunc('day', now(), 'UTC')`)
      .getCount();
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
