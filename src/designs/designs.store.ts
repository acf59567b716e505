import { Injectable } from '@nestjs/common';
import { administeredSql } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { roleRank } from '../core/access/roles.js';
import { deletedAtFilter } from '../core/access/deleted-at-filter.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { equalsFilter, type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { WorkspaceOwnedScope } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { WorkspaceOwnedStore } from '../workspaces/workspace-owned/workspace-owned.store.js';
import { Design } from './design.entity.js';
import { designPolicy } from './design.policy.js';

const listing: Listing<Design> = {
  alias: 'design',
  pageSize: 10,
  order: recordOrderColumns('design'),
  defaultOrder: 'created_at desc',
  search: ['design.name'],
  filter: {
    name: equalsFilter('name', 'design.name'),
    user_id: equalsFilter('user_id', 'design.user_id::text'),
    source_type: equalsFilter('source_type', 'design.source_type'),
    deleted_at: deletedAtFilter('design', designPolicy.restore.needs, 'workspace_id'),
  },
  filterDefaults: { deleted_at: false },
};

@Injectable()
export class DesignsStore extends WorkspaceOwnedStore<Design> {
  constructor(unit: UnitOfWork) {
    super(unit, Design, 'design');
  }

  page(actor: Actor, scope: WorkspaceOwnedScope & { sourceType?: string }, query: ListQuery): Promise<Page<Design>> {
    const rows = this.selectInScope(actor, scope);
    if (scope.sourceType) rows.andWhere('design.source_type = :sourceType', scope);
    return this.paginate(rows, listing, query);
  }

  /** The designs of this name that the actor may change. */
  findEditable(actor: Actor, name: string): Promise<Design[]> {
    const rows = this.createQueryBuilder().andWhere('design.name = :name', { name });
    if (!actor.isSystem)
      rows.andWhere(`(${administeredSql('design', ':actorId')} OR ${IN_EDITABLE_WORKSPACE})`, {
        actorId: actor.userId,
      });
    return rows.orderBy('design.created_at').getMany();
  }

  async incrementDeploymentCount(id: string): Promise<void> {
    await this.unit.manager.query(`UPDATE design SET deployment_count = deployment_count + 1 WHERE id = $1`, [id]);
  }
}

const IN_EDITABLE_WORKSPACE = `design.workspace_id IN (SELECT resource_id FROM access_role
  WHERE user_id = :actorId AND resource_type = 'workspace' AND role >= ${roleRank('editor')})`;
