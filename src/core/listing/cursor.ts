import { createHash } from 'node:crypto';
import { validate } from 'uuid';
import { InvalidRequest } from '../errors/app-error.js';
import { findTextFault } from '../json/storable-json.js';
import type { ResolvedOrder } from './list-filters.js';
import type { OrderColumn } from './listing.js';

/** The position of a keyset listing: the order value and the id of the last returned record, and the total at the start. */
export interface CursorPosition {
  value: string;
  id: string;
  total: number;
}

/** Computes a digest of everything that a cursor depends on; a cursor is valid only for the same order and filters. */
export function fingerprintQuery(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
}

export function encodeCursor(walk: string, position: CursorPosition): string {
  return Buffer.from(JSON.stringify([walk, position.value, position.id, position.total])).toString('base64url');
}

/** The format of values of each column type. A cursor is user input, so other values are rejected before they reach SQL. */
const VALUE_CHECKS: Record<OrderColumn<never>['type'], (value: string) => boolean> = {
  text: (value) => findTextFault(value) === undefined,
  timestamptz: (value) => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value)),
  bigint: (value) => /^-?\d{1,18}$/.test(value),
};

/** @throws InvalidRequest when the text is not a cursor, or belongs to another order or filter */
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
  InvalidRequest.forField(
    'cursor',
    'is not a cursor',
    'Send the next_cursor of the last response, or an empty cursor.',
  );

export const cursorWithPage = (): InvalidRequest =>
  InvalidRequest.forField('cursor', 'cannot be combined with page', 'Send one of the two.');

/** The SQL condition and parameters for the records after a keyset position, or from it on. */
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
