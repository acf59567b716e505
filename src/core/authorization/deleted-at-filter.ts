import type { ObjectLiteral } from 'typeorm';
import { booleanFilter, type FilterCondition } from '../listing/listing.js';
import { administeredSql } from './access.service.js';
import { roleRank, type Role } from '../access/roles.js';

/**
 * Builds the condition `deleted_at` of a list: true selects the deleted records that the caller may restore.
 * @param needs the role required to restore
 * @param column the workspace column on which the role may be granted; without it the role is in the organization
 */
export function deletedAtFilter<E extends ObjectLiteral>(
  alias: string,
  needs: Role,
  column?: 'id' | 'workspace_id',
): FilterCondition<E> {
  return booleanFilter('deleted_at', (rows, deleted) => {
    rows.withDeleted().andWhere(`${alias}.deleted_at IS ${deleted ? 'NOT NULL' : 'NULL'}`);
    // The system sees all records and has no id to compare.
    if (deleted && rows.getParameters()['actorId'] !== undefined) rows.andWhere(restorableSql(alias, needs, column));
  });
}

function restorableSql(alias: string, needs: Role, column?: string): string {
  if (!column) return `(${administeredSql(alias, ':actorId')})`;
  const granted = `${alias}.${column} IN (SELECT granted_resources(:actorId, 'workspace', ${roleRank(needs)}))`;
  return `(${administeredSql(alias, ':actorId')} OR ${granted})`;
}
