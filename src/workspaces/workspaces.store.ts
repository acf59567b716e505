import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { deletedAtFilter } from '../core/authorization/deleted-at-filter.js';
import { storedTotalOf } from '../core/authorization/stored-total.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { OrganizationListQuery } from '../core/listing/list-query.js';
import { equalsFilter, wordFilter, type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { RecordStore } from '../core/records/record.store.js';
import { WORKSPACE_STATUSES, Workspace } from './workspace.entity.js';
import { workspacePolicy } from './workspace.policy.js';

const listing: Listing<Workspace> = {
  alias: 'workspace',
  pageSize: 20,
  order: recordOrderColumns('workspace'),
  defaultOrder: 'created_at desc',
  search: ['workspace.name'],
  searchFunction: 'search_workspace',
  filter: {
    name: equalsFilter('name', 'workspace.name'),
    owner: equalsFilter('owner', 'workspace.owner::text'),
    status: wordFilter('status', 'workspace.status', WORKSPACE_STATUSES),
    deleted_at: deletedAtFilter('workspace', workspacePolicy.restore.needs, 'id'),
  },
  filterDefaults: { deleted_at: false },
};

/** SQL condition: the environment `:id` is assigned to the workspace. */
const HAS_ENVIRONMENT =
  'workspace.id IN (SELECT workspace_id FROM workspace_environment WHERE environment_id = :id AND deleted_at IS NULL)';

/** Workspaces, visible to their members and to admins of the organization. A former admin of a deleted workspace still finds it. */
@Injectable()
export class WorkspacesStore extends RecordStore<Workspace> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Workspace, 'workspace');
  }

  async page(actor: Actor, organizationId: string, query: OrganizationListQuery): Promise<Page<Workspace>> {
    const visible = await this.access.onlyVisibleIn(
      this.createQueryBuilder(),
      'workspace',
      'workspace',
      actor,
      organizationId,
    );
    return this.paginate(visible.rows, listing, query, storedTotalOf(visible, 'workspace'));
  }

  /** Locks several workspaces, in the order of their ids to prevent deadlocks. */
  lockAll(actor: Actor, ids: string[]): Promise<Workspace[]> {
    return this.visibleTo(actor)
      .andWhere('workspace.id = ANY(:ids)', { ids })
      .orderBy('workspace.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** Locks the workspaces that limit members and in which a team has a role, until the end of the transaction. */
  lockLimitedByTeam(teamId: string): Promise<Workspace[]> {
    return this.lockLimited(
      'workspace.max_members IS NOT NULL AND workspace.id IN (SELECT workspace_id FROM workspace_team WHERE team_id = :id)',
      teamId,
    );
  }

  /** Locks the workspaces that limit environments and to which an environment is assigned, until the end of the transaction. */
  lockLimitedByEnvironment(environmentId: string): Promise<Workspace[]> {
    return this.lockLimited(`workspace.max_environments IS NOT NULL AND ${HAS_ENVIRONMENT}`, environmentId);
  }

  /** The workspaces to which an environment is assigned. */
  listByEnvironment(environmentId: string): Promise<Workspace[]> {
    return this.createQueryBuilder().where(HAS_ENVIRONMENT, { id: environmentId }).orderBy('workspace.id').getMany();
  }

  private lockLimited(which: string, id: string): Promise<Workspace[]> {
    return this.createQueryBuilder()
      .where(which, { id })
      .orderBy('workspace.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  findPersonal(organizationId: string, userId: string): Promise<Workspace | null> {
    return this.repository.findOneBy({ organizationId, personalOf: userId });
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<Workspace> {
    return this.access.onlyVisible(this.createQueryBuilder(), 'workspace', 'workspace', actor);
  }
}
