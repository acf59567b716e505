import type { Fault } from '../../errors/app-error.js';
import { INLINE_MAX_BYTES } from '../../json/json-chunks.js';
import { PackedJson } from '../../json/packed-json.js';
import { findUnstorableParts } from '../../json/storable-json.js';
import { hashJson, parseJsonBody } from './json-body.js';

/** Members of an object beyond which it is packed as a whole. */
const MAX_MEMBERS = 100;
/** Objects further down are packed as a whole. */
const MAX_OPEN_DEPTH = 2;

/** A body as a worker read it, in a form that passes between threads. */
export interface LargeBody {
  /** What of it is light, as data. */
  value: unknown;
  /** What of it is not, and where it belongs. */
  packed: { path: string[]; bytes: Uint8Array<ArrayBuffer>; isList: boolean; faults: Fault[] }[];
  /** The digest of the whole as a value, when it was asked for. */
  digest?: string;
}

/** Reads large bodies in a worker; provided to the application under this class as its token. */
export abstract class LargeBodyReader {
  /** As parseBody. The bytes go over to the worker. */
  abstract parse(bytes: Uint8Array<ArrayBuffer>, wish: { digest: boolean }): Promise<LargeBody>;
}

/**
 * Parses a body, and divides it so that the main thread gets little data: lists, and objects below the members of the
 * members of the body, are packed once the data that fits is used up.
 */
export function parseLargeBody(bytes: Uint8Array, wish: { digest: boolean }): LargeBody {
  const body = parseJsonBody(bytes);
  const packed: LargeBody['packed'] = [];
  const path: string[] = [];
  let left = INLINE_MAX_BYTES;
  const divided = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const text = JSON.stringify(value);
    if (text.length <= left) {
      left -= text.length;
      return value;
    }
    const isList = Array.isArray(value);
    const members = Object.entries(value);
    // The root is always opened: its members are the fields of the request.
    const isClosed = path.length > 0 && (path.length >= MAX_OPEN_DEPTH || members.length > MAX_MEMBERS);
    if (isList || isClosed) {
      packed.push({
        path: [...path],
        bytes: new TextEncoder().encode(text),
        isList,
        faults: findUnstorableParts(value, ''),
      });
      return null;
    }
    const opened = members.map(([key, member]): [string, unknown] => {
      path.push(key);
      const within = divided(member);
      path.pop();
      return [key, within];
    });
    return Object.fromEntries(opened);
  };
  return { value: divided(body), packed, ...(wish.digest ? { digest: hashJson(body) } : {}) };
}

/** The body with its packed parts in their places. */
export function assembleBody({ value, packed }: LargeBody): unknown {
  const root = { body: value };
  for (const { path, bytes, isList, faults } of packed) {
    const names = ['body', ...path];
    const last = names.pop() ?? '';
    const parent = names.reduce((at, name) => at[name] as Record<string, unknown>, root as Record<string, unknown>);
    parent[last] = new PackedJson(bytes, isList, faults);
  }
  return root.body;
}
