import type { EntityTarget, SelectQueryBuilder } from 'typeorm';
import { administeredSql } from '../../core/access/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { Store } from '../../core/database/store.js';
import type { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { WorkspaceOwnedEntity } from './workspace-owned.entity.js';
import type { WorkspaceOwnedScope } from './workspace-owned.query.js';

/** Records of workspaces as their readers see them: those of their workspaces, and what others of the organization share with it. */
export abstract class WorkspaceOwnedStore<E extends WorkspaceOwnedEntity> extends Store<E> {
  protected constructor(
    unit: UnitOfWork,
    entity: EntityTarget<E>,
    /** The table, and its alias. */
    private readonly table: string,
  ) {
    super(unit, entity, table);
  }

  find(actor: Actor, id: string): Promise<E | null> {
    return this.selectOne(actor, id).getOne();
  }

  /** The same, held until the end of the unit of work. */
  lock(actor: Actor, id: string): Promise<E | null> {
    return this.selectOne(actor, id).setLock('pessimistic_write').getOne();
  }

  /** Also when it has been deleted; held until the end of the unit of work when that is wanted. */
  findWithDeleted(actor: Actor, id: string, hold = false): Promise<E | null> {
    const row = this.selectOne(actor, id).withDeleted();
    return (hold ? row.setLock('pessimistic_write') : row).getOne();
  }

  /** How many there are in a workspace. */
  countByWorkspace(workspaceId: string): Promise<number> {
    return this.createQueryBuilder().where(`${this.table}.workspace_id = :workspaceId`, { workspaceId }).getCount();
  }

  /** Hides every record of a workspace with it. */
  async softDeleteByWorkspace(workspaceId: string, at: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE ${this.table} SET deleted_at = $2, updated_at = now(), revision = revision + 1 WHERE workspace_id = $1 AND deleted_at IS NULL`,
      [workspaceId, at],
    );
  }

  /** Brings back the records that were hidden with their workspace. */
  async restoreByWorkspace(workspaceId: string, deletedAt: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE ${this.table} SET deleted_at = NULL, updated_at = now(), revision = revision + 1 WHERE workspace_id = $1 AND deleted_at = $2`,
      [workspaceId, deletedAt],
    );
  }

  async increment(id: string, what: 'clone_count' | 'download_count'): Promise<void> {
    await this.unit.manager.query(`UPDATE ${this.table} SET ${what} = ${what} + 1 WHERE id = $1`, [id]);
  }

  /** Those that a list is asked for, but for its search, filter and order. */
  protected selectInScope(actor: Actor, scope: WorkspaceOwnedScope): SelectQueryBuilder<E> {
    const { table } = this;
    const rows = this.visibleTo(actor);
    if (scope.organizationId) rows.andWhere(`${table}.organization_id = :organizationId`, scope);
    if (scope.workspaceId) rows.andWhere(`${table}.workspace_id = :workspaceId`, scope);
    if (scope.visibility) rows.andWhere(`${table}.visibility = ANY(:visibility)`, scope);
    if (scope.from) rows.andWhere(`${table}.created_at >= :from`, scope);
    if (scope.to) rows.andWhere(`${table}.created_at < :to`, scope);
    if (scope.updatedAfter) rows.andWhere(`${table}.updated_at > :updatedAfter`, scope);
    return rows;
  }

  private selectOne(actor: Actor, id: string): SelectQueryBuilder<E> {
    return this.visibleTo(actor).andWhere(`${this.table}.id = :id`, { id });
  }

  private visibleTo(actor: Actor): SelectQueryBuilder<E> {
    const rows = this.createQueryBuilder();
    if (actor.isSystem) return rows;
    const granted = `${this.table}.workspace_id IN (SELECT granted_resources(:actorId, 'workspace'))`;
    return rows.andWhere(`(${administeredSql(this.table, ':actorId')} OR ${granted} OR ${isShared(this.table)})`, {
      actorId: actor.userId,
    });
  }
}

/** Shared with the organization, from a workspace that is not archived. */
const isShared = (table: string): string => `(${table}.visibility = 'organization'
  AND ${table}.organization_id IN (SELECT granted_resources(:actorId, 'organization'))
  AND ${table}.workspace_id IN (SELECT id FROM active_workspace))`;
