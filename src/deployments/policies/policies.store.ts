import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { RecordStore } from '../../core/records/record.store.js';
import { Policy } from './policy.entity.js';

const listing: Listing<Policy> = {
  alias: 'policy',
  pageSize: 20,
  order: recordOrderColumns('policy'),
  defaultOrder: 'created_at desc',
  search: ['policy.name'],
};

/** Policies, visible to those who see their workspace by row-level security. */
@Injectable()
export class PoliciesStore extends RecordStore<Policy> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Policy, 'policy');
  }

  page(actor: Actor, workspaceId: string, query: ListQuery): Promise<Page<Policy>> {
    return this.paginate(this.inWorkspace(this.visibleTo(actor), workspaceId), listing, query);
  }

  count(workspaceId: string): Promise<number> {
    return this.repository.countBy({ workspaceId });
  }

  /** The enabled policies of a workspace, independent of the caller; enforced ones first. */
  findEnabled(workspaceId: string): Promise<Policy[]> {
    const rows = this.inWorkspace(this.createQueryBuilder(), workspaceId)
      .andWhere('policy.enabled')
      .orderBy('policy.mode', 'ASC')
      .addOrderBy('policy.id', 'ASC');
    return this.unit.runAsSystem('policies of a workspace', () => this.getMany(rows));
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<Policy> {
    const rows = this.createQueryBuilder();
    if (actor.isSystem) return rows;
    const seen = this.access.onlyVisible(
      this.unit.manager.createQueryBuilder().select('w.id').from('workspace', 'w'),
      'w',
      'workspace',
      actor,
    );
    return rows.andWhere(`policy.workspace_id IN (${seen.getQuery()})`, seen.getParameters());
  }

  private inWorkspace(rows: SelectQueryBuilder<Policy>, workspaceId: string): SelectQueryBuilder<Policy> {
    return rows.andWhere('policy.workspace_id = :workspaceId', { workspaceId });
  }
}
