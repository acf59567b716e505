import type { ObjectLiteral } from 'typeorm';
import { chosen, type Condition } from '../listing/listing.js';
import { administeredOf } from './access.js';
import { rank, type Role } from './roles.js';

/**
 * The condition `deleted_at` of a list: true lists deleted records, which are nobody's to read but those who may restore them.
 * @param needs the role that restoring needs
 * @param place the column of the workspace on which that role may be granted; without one it is a role in the organization
 */
export function deletedRecords<E extends ObjectLiteral>(
  alias: string,
  needs: Role,
  place?: 'id' | 'workspace_id',
): Condition<E> {
  return chosen('deleted_at', (rows, deleted) => {
    rows.withDeleted().andWhere(`${alias}.deleted_at IS ${deleted ? 'NOT NULL' : 'NULL'}`);
    // The system, which sees everything, has no id to compare with.
    if (deleted && rows.getParameters()['actorId'] !== undefined) rows.andWhere(restorable(alias, needs, place));
  });
}

function restorable(alias: string, needs: Role, place?: string): string {
  if (!place) return `(${administeredOf(alias, ':actorId')})`;
  const granted = `${alias}.${place} IN (SELECT resource_id FROM access_role
    WHERE user_id = :actorId AND resource_type = 'workspace' AND role >= ${rank(needs)})`;
  return `(${administeredOf(alias, ':actorId')} OR ${granted})`;
}
