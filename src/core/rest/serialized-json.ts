import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { isLargeJson } from '../json/json-size.js';
import { TimeSlicer } from '../time-slicer.js';

const PIECE_BYTES = 64 * 1024;

/** A large JSON response: the bytes of JSON.stringify, produced in chunks that yield to the event loop. */
export class SerializedJson extends StreamableFile {
  /** The total size in bytes. */
  readonly size: number;

  private constructor(readonly pieces: readonly Buffer[]) {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    super(Readable.from(pieces), { type: 'application/json; charset=utf-8', length });
    this.size = length;
  }

  /** Wraps serialized JSON in UTF-8. */
  static fromBytes(bytes: Uint8Array<ArrayBuffer>): SerializedJson {
    const count = Math.ceil(bytes.length / PIECE_BYTES);
    const at = (index: number) =>
      Buffer.from(bytes.buffer, index * PIECE_BYTES, Math.min(PIECE_BYTES, bytes.length - index * PIECE_BYTES));
    return new SerializedJson(Array.from({ length: count }, (_, index) => at(index)));
  }

  static async serialize(value: object): Promise<SerializedJson> {
    return new SerializedJson(await serializeInPieces(value));
  }
}

/** Serializes a value in chunks. */
export async function serializeInPieces(value: object): Promise<Buffer[]> {
  const turns = new TimeSlicer();
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of jsonParts(value)) {
    text += part;
    if (text.length < PIECE_BYTES) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await turns.yieldToEventLoop();
  }
  return [...pieces, Buffer.from(text)];
}

function* jsonParts(given: unknown): Generator<string> {
  const value = hasToJSON(given) ? given.toJSON() : given;
  if (!isLargeJson(value)) yield JSON.stringify(value ?? null) ?? 'null';
  else if (typeof value === 'string') yield* textParts(value);
  else if (Array.isArray(value)) yield* listParts(value);
  else yield* objectParts(value as object);
}

function* listParts(list: readonly unknown[]): Generator<string> {
  let separator = '[';
  for (const item of list) {
    yield separator;
    yield* jsonParts(item);
    separator = ',';
  }
  yield ']';
}

function* objectParts(object: object): Generator<string> {
  let separator = '{';
  for (const [key, member] of Object.entries(object) as [string, unknown][]) {
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* jsonParts(member);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** Splits text outside of surrogate pairs, because JSON.stringify escapes lone surrogates. */
function* textParts(text: string): Generator<string> {
  yield '"';
  let start = 0;
  while (start < text.length) {
    const cut = Math.min(start + PIECE_BYTES / 2, text.length);
    const end = /[\ud800-\udbff]/.test(text.charAt(cut - 1)) ? cut + 1 : cut;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

function hasToJSON(value: unknown): value is { toJSON: () => unknown } {
  return typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';
}
