import type { AuditedRequest } from '../../../core/database/audited-request.js';
import type { PendingAuditRow } from '../audit.entity.js';

/** Characters of a name or an identifier; those of the server are far shorter, and longer ones do not fit an index. */
const MAX_NAME_LENGTH = 255;
const MAX_COUNT = 2_147_483_647;
const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(10_000, 0);

/** What a change, an event or a refusal left behind, with the request that it was written for. */
export interface TracedRow extends Omit<PendingAuditRow, 'position' | 'changeSet'> {
  /** Null without one, and when no server of this installation has signed it. */
  request: AuditedRequest | null;
}

/**
 * A row as triggers and the server write them. One that was written by hand may hold anything, and must not keep those of others from
 * being sealed: what does not fit is replaced or cut off.
 */
export function toSoundRow(row: TracedRow): TracedRow {
  return Object.assign(row, {
    action: cutOff(row.action),
    resourceType: cutOff(row.resourceType),
    resourceId: row.resourceId === null ? null : cutOff(row.resourceId),
    before: toFields(row.before),
    after: toFields(row.after),
    createdAt: isTime(row.createdAt) ? row.createdAt : new Date(),
  });
}

/** The code of a refusal, and how many it stands for. */
export function readRefusal(fields: Record<string, unknown> | null): { reason: string | null; count: number } {
  const { reason, count } = fields ?? {};
  return {
    reason: typeof reason === 'string' ? cutOff(reason) : null,
    count: Number.isInteger(count) ? Math.min(Math.max(count as number, 1), MAX_COUNT) : 1,
  };
}

/** Half of a character that is cut in two is stored as another one than is hashed. */
const cutOff = (name: string): string => name.slice(0, MAX_NAME_LENGTH).toWellFormed();

function toFields(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

/** PostgreSQL has times that JavaScript or ISO 8601 do not have. */
const isTime = (value: unknown): boolean =>
  value instanceof Date && value.getTime() >= EARLIEST && value.getTime() < LATEST;
