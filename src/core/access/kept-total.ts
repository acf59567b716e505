import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Actor } from './actor.js';
import { administeredSql } from './access.service.js';

/**
 * SQL of the kept number of records of a table in the `:organizationId` of a query, for those who see all of them: the administrators of the
 * organization, and the system. It is null for others, whose records are counted.
 */
export function keptTotalSql<E extends ObjectLiteral>(
  rows: SelectQueryBuilder<E>,
  table: string,
  actor: Actor,
): string {
  const all = `SELECT sum(total.amount) FROM record_total total
    WHERE total.organization_id = CAST(:organizationId AS uuid) AND total.record = '${table}'`;
  if (actor.isSystem) return all;
  rows.setParameters({ countingActorId: actor.userId });
  return `${all} AND ${administeredSql('total', ':countingActorId')}`;
}
