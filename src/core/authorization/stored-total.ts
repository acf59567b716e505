import type { StoredTotal } from '../listing/list-source.js';

/**
 * Returns the stored count and version of a table's records in the `:organizationId` of a query. They apply only to
 * actors who see all records: organization admins and the system.
 */
export function storedTotalOf({ seesAll }: { seesAll: boolean }, table: string): StoredTotal | undefined {
  if (!seesAll) return undefined;
  const given = `CAST(:organizationId AS uuid), '${table}'`;
  return { total: `SELECT kept_total(${given})`, version: `SELECT kept_version(${given})` };
}
