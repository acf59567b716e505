import type { ObjectLiteral } from 'typeorm';
import { booleanFilter, type FilterCondition } from '../listing/listing.js';
import { administeredSql } from './access.service.js';
import { roleRank, type Role } from '../access/roles.js';

/**
 * The condition `deleted_at` of a list: true lists the deleted records that the caller may restore.
 * @param needs the role that restoring needs
 * @param column the column of the workspace on which that role may be granted; without one it is a role in the organization
 */
export function deletedAtFilter<E extends ObjectLiteral>(
  alias: string,
  needs: Role,
  column?: 'id' | 'workspace_id',
): FilterCondition<E> {
  return booleanFilter('deleted_at', (rows, deleted) => {
    rows.withDeleted().andWhere(`${alias}.deleted_at IS ${deleted ? 'NOT NULL' : 'NULL'}`);
    // The system, which sees everything, has no id to compare with.
    if (deleted && rows.getParameters()['actorId'] !== undefined) rows.andWhere(restorableSql(alias, needs, column));
  });
}

function restorableSql(alias: string, needs: Role, column?: string): string {
  if (!column) return `(${administeredSql(alias, ':actorId')})`;
  const granted = `${alias}.${column} IN (SELECT granted_resources(:actorId, 'workspace', ${roleRank(needs)}))`;
  return `(${administeredSql(alias, ':actorId')} OR ${granted})`;
}
