import { createHash } from 'node:crypto';
import { validate } from 'uuid';
import { InvalidRequest } from '../errors/app-error.js';
import { findTextFault } from '../json/storable-json.js';
import type { ResolvedOrder } from './list-filters.js';
import type { OrderColumn } from './listing.js';

/** Where a walk stands: the value of the ordering column and the id of the last record given, and the total found at its start. */
export interface CursorPosition {
  value: string;
  id: string;
  total: number;
}

/** A short digest of everything that a walk depends on: another order or filter makes another walk. */
export function fingerprintQuery(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
}

export function encodeCursor(walk: string, position: CursorPosition): string {
  return Buffer.from(JSON.stringify([walk, position.value, position.id, position.total])).toString('base64url');
}

/** What a value of each type of column looks like; a cursor is the caller's to send, so nothing else reaches SQL. */
const VALUE_CHECKS: Record<OrderColumn<never>['type'], (value: string) => boolean> = {
  text: (value) => findTextFault(value) === undefined,
  timestamptz: (value) => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value)),
  bigint: (value) => /^-?\d{1,18}$/.test(value),
};

/** @throws InvalidRequest when the text is no cursor, or one of another walk */
export function decodeCursor(walk: string, cursor: string, type: OrderColumn<never>['type']): CursorPosition {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    read = null;
  }
  if (
    !Array.isArray(read) ||
    read.length !== 4 ||
    typeof read[1] !== 'string' ||
    !validate(read[2]) ||
    !Number.isSafeInteger(read[3]) ||
    Number(read[3]) < 0
  )
    throw invalidCursor();
  if (read[0] !== walk)
    throw InvalidRequest.forField(
      'cursor',
      'was made for another order, search or filter',
      'Start again with an empty cursor.',
    );
  if (!VALUE_CHECKS[type](read[1])) throw invalidCursor();
  return { value: read[1], id: String(read[2]), total: Number(read[3]) };
}

const invalidCursor = (): InvalidRequest =>
  InvalidRequest.forField('cursor', 'is not a cursor', 'Send the next_cursor of the last answer, or an empty cursor.');

export const cursorWithPage = (): InvalidRequest =>
  InvalidRequest.forField('cursor', 'cannot be combined with page', 'Send one of the two.');

/** A condition and its parameters, true for the records after a keyset position, or from it on. */
export function keysetCondition<E>(
  { column, direction }: ResolvedOrder<E>,
  alias: string,
  { value, id }: Pick<CursorPosition, 'value' | 'id'>,
  from: 'after' | 'at',
): [string, Record<string, string>] {
  const sign = `${direction === 'ASC' ? '>' : '<'}${from === 'at' ? '=' : ''}`;
  return [
    `(${column.sql}, ${alias}.id) ${sign} (CAST(:walkValue AS ${column.type}), CAST(:walkId AS uuid))`,
    { walkValue: value, walkId: id },
  ];
}

export const toKeysetValue = (value: string | Date | number): string =>
  value instanceof Date ? value.toISOString() : String(value);
