import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { Turns } from '../turns.js';

/** What is lighter is written by JSON.stringify at once, which takes about a millisecond. */
const LARGE = 128 * 1024;
const PIECE = 64 * 1024;
/** What a value weighs beside its text. */
const NODE = 8;

/** A JSON answer that is large: the very bytes of JSON.stringify, written piece by piece so that others are served in between. */
export class WrittenJson extends StreamableFile {
  /** Bytes of all pieces. */
  readonly size: number;

  private constructor(readonly pieces: readonly Buffer[]) {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    super(Readable.from(pieces), { type: 'application/json; charset=utf-8', length });
    this.size = length;
  }

  /** JSON that is written already, in UTF-8. */
  static ofBytes(bytes: Uint8Array<ArrayBuffer>): WrittenJson {
    const count = Math.ceil(bytes.length / PIECE);
    const at = (index: number) =>
      Buffer.from(bytes.buffer, index * PIECE, Math.min(PIECE, bytes.length - index * PIECE));
    return new WrittenJson(Array.from({ length: count }, (_, index) => at(index)));
  }

  static async of(value: object): Promise<WrittenJson> {
    return new WrittenJson(await written(value));
  }
}

/** A value as JSON in pieces. */
export async function written(value: object): Promise<Buffer[]> {
  const turns = new Turns();
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of partsOf(value)) {
    text += part;
    if (text.length < PIECE) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await turns.take();
  }
  return [...pieces, Buffer.from(text)];
}

/** Whether writing a value as JSON would hold others up. */
export function isLarge(value: unknown): boolean {
  return left(value, LARGE) < 0;
}

/** About how many bytes a value has as JSON; stops at `most`. */
export function weightOf(value: unknown, most: number): number {
  return most - Math.max(left(value, most), 0);
}

/** What is left of a budget once a value is weighed; stops when it is spent. */
function left(value: unknown, budget: number): number {
  let rest = budget - NODE;
  if (typeof value === 'string') return rest - value.length;
  if (typeof value !== 'object' || value === null) return rest;
  for (const key in value) {
    if (rest < 0) return rest;
    rest = left((value as Record<string, unknown>)[key], rest - key.length);
  }
  return rest;
}

function* partsOf(given: unknown): Generator<string> {
  const value = hasToJson(given) ? given.toJSON() : given;
  if (!isLarge(value)) yield JSON.stringify(value ?? null) ?? 'null';
  else if (typeof value === 'string') yield* textParts(value);
  else if (Array.isArray(value)) yield* listParts(value);
  else yield* objectParts(value as object);
}

function* listParts(list: readonly unknown[]): Generator<string> {
  let separator = '[';
  for (const item of list) {
    yield separator;
    yield* partsOf(item);
    separator = ',';
  }
  yield ']';
}

function* objectParts(object: object): Generator<string> {
  let separator = '{';
  for (const [key, member] of Object.entries(object) as [string, unknown][]) {
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* partsOf(member);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** Pieces never end within a surrogate pair, whose halves alone would be escaped. */
function* textParts(text: string): Generator<string> {
  yield '"';
  let start = 0;
  while (start < text.length) {
    const cut = Math.min(start + PIECE / 2, text.length);
    const end = /[\ud800-\udbff]/.test(text.charAt(cut - 1)) ? cut + 1 : cut;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

function hasToJson(value: unknown): value is { toJSON: () => unknown } {
  return typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';
}
