import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { StoredTotal } from '../listing/list-source.js';
import { isNarrowedToGrants } from './access.service.js';

/**
 * Returns the stored count and version of a table's records in the `:organizationId` of a query. They apply only to
 * actors who see all records: organization admins and the system; undefined for queries restricted to granted
 * records.
 */
export function storedTotalOf<E extends ObjectLiteral>(
  rows: SelectQueryBuilder<E>,
  table: string,
): StoredTotal | undefined {
  if (isNarrowedToGrants(rows)) return undefined;
  const given = `CAST(:organizationId AS uuid), '${table}'`;
  return { total: `SELECT kept_total(${given})`, version: `SELECT kept_version(${given})` };
}
