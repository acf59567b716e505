import { Injectable } from '@nestjs/common';
import { Access, administeredSql } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { roleRank } from '../core/access/roles.js';
import { deletedAtFilter } from '../core/authorization/deleted-at-filter.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { equalsFilter, wordFilter, type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { WorkspaceOwnedScope } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { WorkspaceOwnedStore } from '../workspaces/workspace-owned/workspace-owned.store.js';
import { Design } from './design.entity.js';
import { designPolicy } from './design.policy.js';
import { SOURCE_TYPES } from './formats/source-type.js';

const listing: Listing<Design> = {
  alias: 'design',
  pageSize: 10,
  order: recordOrderColumns('design'),
  defaultOrder: 'created_at desc',
  search: ['design.name'],
  searchFunction: 'search_design',
  filter: {
    name: equalsFilter('name', 'design.name'),
    user_id: equalsFilter('user_id', 'design.user_id::text'),
    source_type: wordFilter('source_type', 'design.source_type', SOURCE_TYPES),
    deleted_at: deletedAtFilter('design', designPolicy.restore.needs, 'workspace_id'),
  },
  filterDefaults: { deleted_at: false },
};

@Injectable()
export class DesignsStore extends WorkspaceOwnedStore<Design> {
  constructor(unit: UnitOfWork, access: Access) {
    super(unit, access, Design, 'design');
  }

  async page(
    actor: Actor,
    scope: WorkspaceOwnedScope & { sourceType?: string },
    query: ListQuery,
  ): Promise<Page<Design>> {
    const visible = await this.selectInScope(actor, scope);
    const { sourceType } = scope;
    if (sourceType) visible.rows.andWhere('design.source_type = :sourceType', { sourceType });
    return this.paginate(visible.rows, listing, query, this.storedTotal(visible, scope));
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

  /** The ids of some designs of a workspace that have this name, latest first. */
  async findNamesakes(workspaceId: string, name: string): Promise<string[]> {
    const rows = this.createQueryBuilder()
      .andWhere('design.workspace_id = :workspaceId AND design.name = :name', { workspaceId, name })
      .orderBy('design.created_at', 'DESC')
      .limit(MAX_NAMESAKES);
    return (await rows.getMany()).map(({ id }) => id);
  }

  async incrementDeploymentCount(id: string): Promise<void> {
    await this.unit.manager.query(`UPDATE design SET deployment_count = deployment_count + 1 WHERE id = $1`, [id]);
  }
}

const MAX_NAMESAKES = 5;

const IN_EDITABLE_WORKSPACE = `design.workspace_id IN (SELECT granted_resources(:actorId, 'workspace', ${roleRank('editor')}))`;
