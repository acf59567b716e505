import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { administeredOf } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { Store } from '../core/database/store.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { equals, type Listing } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { Deployment, type DeploymentStatus } from './deployment.entity.js';

const listing: Listing<Deployment> = {
  alias: 'deployment',
  pageSize: 20,
  order: {
    name: { sql: 'deployment.name', type: 'text', of: ({ name }) => name },
    status: { sql: 'deployment.status', type: 'text', of: ({ status }) => status },
    created_at: { sql: 'deployment.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt },
    updated_at: { sql: 'deployment.updated_at', type: 'timestamptz', of: ({ updatedAt }) => updatedAt },
  },
  defaultOrder: 'created_at desc',
  search: ['deployment.name'],
  filter: {
    status: equals('status', 'deployment.status'),
    action: equals('action', 'deployment.action'),
    design_id: equals('design_id', 'deployment.design_id::text'),
    environment_id: equals('environment_id', 'deployment.environment_id::text'),
  },
};

/** What narrows a list of deployments beside the query that every list has. */
export interface DeploymentScope {
  organizationId?: string;
  workspaceId?: string;
  designId?: string;
}

const UNFINISHED: DeploymentStatus[] = ['pending_approval', 'queued', 'running'];

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

  lock(actor: Actor, id: string): Promise<Deployment | null> {
    return this.visibleTo(actor).andWhere('deployment.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  /** How many deployments of designs (undeployments and rollbacks apart) were accepted in a workspace since midnight UTC. */
  async countToday(workspaceId: string): Promise<number> {
    return this.select()
      .where(`deployment.workspace_id = :workspaceId AND deployment.action = 'deploy'`, { workspaceId })
      .andWhere(`deployment.created_at >= date_trunc('day', now(), 'UTC')`)
      .getCount();
  }

  unfinishedOf(workspaceId: string): Promise<Deployment[]> {
    return this.select()
      .andWhere('deployment.workspace_id = :workspaceId AND deployment.status = ANY(:statuses)', {
        workspaceId,
        statuses: UNFINISHED,
      })
      .orderBy('deployment.id')
      .getMany();
  }

  /** The last version of a design that was deployed into an environment with success, other than `version`. */
  async versionBefore(designId: string, environmentId: string, version: number): Promise<number | null> {
    const found = await this.select()
      .andWhere('deployment.design_id = :designId AND deployment.environment_id = :environmentId', {
        designId,
        environmentId,
      })
      .andWhere(`deployment.status = 'succeeded' AND deployment.design_version <> :version`, { version })
      .orderBy('deployment.finished_at', 'DESC')
      .getOne();
    return found?.designVersion ?? null;
  }

  private visibleTo(actor: Actor): SelectQueryBuilder<Deployment> {
    const rows = this.select();
    if (actor.isSystem) return rows;
    return rows.andWhere(
      `(${administeredOf('deployment', ':actorId')} OR deployment.workspace_id IN (
         SELECT granted_resources(:actorId, 'workspace')))`,
      { actorId: actor.userId },
    );
  }
}
