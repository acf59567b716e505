import type { AuditedRequest } from '../../../core/database/audited-request.js';
import type { PendingAuditRow } from '../audit.entity.js';

/** The maximum length of a name or identifier. The server writes far shorter ones; longer ones do not fit an index. */
const MAX_NAME_LENGTH = 255;
const MAX_COUNT = 2_147_483_647;
const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(10_000, 0);

/** A change, event or refusal with its request. */
export interface TracedRow extends Omit<PendingAuditRow, 'position' | 'changeSet'> {
  /** Null without a request, or when its signature is invalid. */
  request: AuditedRequest | null;
}

/**
 * Replaces or truncates invalid values. A row that was written by hand may contain anything, and must not prevent the sealing of others.
 */
export function toValidRow(row: TracedRow): TracedRow {
  return Object.assign(row, {
    action: cutOff(row.action),
    resourceType: cutOff(row.resourceType),
    resourceId: row.resourceId === null ? null : cutOff(row.resourceId),
    before: toFields(row.before),
    after: toFields(row.after),
    createdAt: isTime(row.createdAt) ? row.createdAt : new Date(),
  });
}

/** Returns the error code of a refusal and the number of refusals that it combines. */
export function readRefusal(fields: Record<string, unknown> | null): { reason: string | null; count: number } {
  const { reason, count } = fields ?? {};
  return {
    reason: typeof reason === 'string' ? cutOff(reason) : null,
    count: Number.isInteger(count) ? Math.min(Math.max(count as number, 1), MAX_COUNT) : 1,
  };
}

/** Replaces a lone surrogate, which PostgreSQL would store as another character than was hashed. */
const cutOff = (name: string): string => name.slice(0, MAX_NAME_LENGTH).toWellFormed();

function toFields(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

/** PostgreSQL has times that JavaScript and ISO 8601 cannot represent. */
const isTime = (value: unknown): boolean =>
  value instanceof Date && value.getTime() >= EARLIEST && value.getTime() < LATEST;
