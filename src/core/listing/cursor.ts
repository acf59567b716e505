import { createHash } from 'node:crypto';
import { InvalidRequest } from '../errors/app-error.js';

/** Where a walk stands: the value of the ordering column and the id of the last record given, and the total found at its start. */
export interface Position {
  value: string;
  id: string;
  total: number;
}

/** A short digest of everything that a walk depends on: another order or filter makes another walk. */
export function walkOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
}

export function writeCursor(walk: string, position: Position): string {
  return Buffer.from(JSON.stringify([walk, position.value, position.id, position.total])).toString('base64url');
}

/** @throws InvalidRequest when the text is no cursor, or one of another walk */
export function readCursor(walk: string, cursor: string): Position {
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
    !/^[0-9a-f-]{36}$/i.test(String(read[2])) ||
    !Number.isSafeInteger(read[3])
  )
    throw InvalidRequest.at(
      'cursor',
      'is not a cursor',
      'Send the next_cursor of the last answer, or an empty cursor.',
    );
  if (read[0] !== walk)
    throw InvalidRequest.at(
      'cursor',
      'was made for another order, search or filter',
      'Begin a new walk with an empty cursor.',
    );
  return { value: read[1], id: String(read[2]), total: Number(read[3]) };
}
