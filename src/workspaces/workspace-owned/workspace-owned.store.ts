import type { EntityTarget, SelectQueryBuilder } from 'typeorm';
import { type Access, administeredSql, type VisibleRows } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { storedTotalOf } from '../../core/authorization/stored-total.js';
import type { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { StoredTotal } from '../../core/listing/list-source.js';
import { RecordStore } from '../../core/records/record.store.js';
import { narrowByTimes } from './narrow-by-times.js';
import type { WorkspaceOwnedEntity } from './workspace-owned.entity.js';
import type { WorkspaceOwnedScope } from './workspace-owned.query.js';

/** Records of workspaces, visible to the members of their workspace, and if shared, to their organization. */
export abstract class WorkspaceOwnedStore<E extends WorkspaceOwnedEntity> extends RecordStore<E> {
  protected constructor(
    unit: UnitOfWork,
    private readonly access: Access,
    entity: EntityTarget<E>,
    /** The table and its alias. */
    private readonly table: string,
  ) {
    super(unit, entity, table);
  }

  /** Also finds deleted records; `hold` locks the row until the end of the transaction. */
  findWithDeleted(actor: Actor, id: string, hold = false): Promise<E | null> {
    return hold ? this.lock(actor, id, true) : this.find(actor, id, true);
  }

  /** The number of records in a workspace. */
  countByWorkspace(workspaceId: string): Promise<number> {
    return this.createQueryBuilder().where(`${this.table}.workspace_id = :workspaceId`, { workspaceId }).getCount();
  }

  /** Deletes every record of a workspace together with it. */
  async softDeleteByWorkspace(workspaceId: string, at: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE ${this.table} SET deleted_at = $2, updated_at = now(), revision = revision + 1 WHERE workspace_id = $1 AND deleted_at IS NULL`,
      [workspaceId, at],
    );
  }

  /** Restores the records that were deleted with their workspace. */
  async restoreByWorkspace(workspaceId: string, deletedAt: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE ${this.table} SET deleted_at = NULL, updated_at = now(), revision = revision + 1 WHERE workspace_id = $1 AND deleted_at = $2`,
      [workspaceId, deletedAt],
    );
  }

  async increment(id: string, what: 'clone_count' | 'download_count'): Promise<void> {
    await this.unit.manager.query(`UPDATE ${this.table} SET ${what} = ${what} + 1 WHERE id = $1`, [id]);
  }

  /** The records of a list, before its search, filter and order. */
  protected async selectInScope(actor: Actor, scope: WorkspaceOwnedScope): Promise<VisibleRows<E>> {
    const { table } = this;
    const { workspaceId, visibility } = scope;
    const organizationId =
      scope.organizationId ?? (workspaceId ? undefined : await this.access.findOnlyOrganization(actor));
    const visible = organizationId
      ? await this.access.onlyVisibleIn(this.createQueryBuilder(), table, 'workspace', actor, organizationId, {
          column: 'workspace_id',
          shared: isShared(table),
        })
      : { rows: this.visibleTo(actor), seesAll: false };
    const { rows } = visible;
    if (workspaceId) rows.andWhere(`${table}.workspace_id = :workspaceId`, { workspaceId });
    if (visibility) rows.andWhere(`${table}.visibility = ANY(:visibility)`, { visibility });
    narrowByTimes(rows, table, scope);
    return visible;
  }

  /** The stored total of a list whose scope is a whole organization. */
  protected storedTotal(
    visible: VisibleRows<E>,
    { organizationId, ...narrower }: WorkspaceOwnedScope,
  ): StoredTotal | undefined {
    const isNarrower = Object.values(narrower).some((value) => value !== undefined);
    return organizationId === undefined || isNarrower ? undefined : storedTotalOf(visible, this.table);
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<E> {
    const rows = this.createQueryBuilder();
    if (actor.isSystem) return rows;
    const granted = `${this.table}.workspace_id IN (SELECT granted_resources(:actorId, 'workspace'))`;
    return rows.andWhere(`(${administeredSql(this.table, ':actorId')} OR ${granted} OR ${isShared(this.table)})`, {
      actorId: actor.userId,
    });
  }
}

/** SQL condition: shared with the organization, from a workspace that is not archived. */
const isShared = (table: string): string => `(${table}.visibility = 'organization'
  AND ${table}.organization_id IN (SELECT granted_resources(:actorId, 'organization'))
  AND ${table}.workspace_id IN (SELECT id FROM active_workspace))`;
