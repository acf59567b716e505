import { Injectable } from '@nestjs/common';
import { administeredOf } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { rank } from '../core/access/roles.js';
import { deletedRecords } from '../core/access/restorable.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { equals, type Listing, recordOrder } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { RecordScope } from '../workspaces/records/workspace-record.query.js';
import { WorkspaceRecordsStore } from '../workspaces/records/workspace-records.store.js';
import { Design } from './design.entity.js';
import { designPolicy } from './design.policy.js';

const listing: Listing<Design> = {
  alias: 'design',
  pageSize: 10,
  order: recordOrder('design'),
  defaultOrder: 'created_at desc',
  search: ['design.name'],
  filter: {
    name: equals('name', 'design.name'),
    user_id: equals('user_id', 'design.user_id::text'),
    source_type: equals('source_type', 'design.source_type'),
    deleted_at: deletedRecords('design', designPolicy.restore.needs, 'workspace_id'),
  },
  filterDefaults: { deleted_at: false },
};

@Injectable()
export class DesignsStore extends WorkspaceRecordsStore<Design> {
  constructor(unit: UnitOfWork) {
    super(unit, Design, 'design');
  }

  page(actor: Actor, scope: RecordScope & { sourceType?: string }, query: ListQuery): Promise<Page<Design>> {
    const rows = this.asked(actor, scope);
    if (scope.sourceType) rows.andWhere('design.source_type = :sourceType', scope);
    return this.paginate(rows, listing, query);
  }

  /** The designs of this name that the actor may change. */
  findEditable(actor: Actor, name: string): Promise<Design[]> {
    const rows = this.select().andWhere('design.name = :name', { name });
    if (!actor.isSystem)
      rows.andWhere(`(${administeredOf('design', ':actorId')} OR ${EDITED})`, { actorId: actor.userId });
    return rows.orderBy('design.created_at').getMany();
  }

  async countDeployment(id: string): Promise<void> {
    await this.unit.manager.query(`UPDATE design SET deployment_count = deployment_count + 1 WHERE id = $1`, [id]);
  }
}

const EDITED = `design.workspace_id IN (SELECT resource_id FROM access_role
  WHERE user_id = :actorId AND resource_type = 'workspace' AND role >= ${rank('editor')})`;
