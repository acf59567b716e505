import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { KeptList } from '../listing/list-source.js';
import { isNarrowedToGrants } from './access.service.js';

/**
 * What is kept of the records of a table in the `:organizationId` of a query, for those who see all of them: the administrators of the
 * organization, and the system. Of rows that were narrowed to what was granted nothing is kept.
 */
export function keptListOf<E extends ObjectLiteral>(rows: SelectQueryBuilder<E>, table: string): KeptList | undefined {
  if (isNarrowedToGrants(rows)) return undefined;
  const given = `CAST(:organizationId AS uuid), '${table}'`;
  return { total: `SELECT kept_total(${given})`, version: `SELECT kept_version(${given})` };
}
