import { type Fault, InvalidRequest } from '../../errors/app-error.js';
import { INLINE_MAX_BYTES } from '../../json/json-chunks.js';
import { PackedJson } from '../../json/packed-json.js';
import { findUnstorableParts } from '../../json/storable-json.js';
import { hashJson, parseJsonBody } from './json-body.js';

/** Objects with more members are packed as a whole. */
const MAX_MEMBERS = 100;
/** More than any request has fields. */
const MAX_FIELDS = 1_000;
/** Objects at this depth or deeper are packed as a whole. */
const MAX_OPEN_DEPTH = 2;

/** A body that a worker parsed, in a form that can be transferred between threads. */
export interface LargeBody {
  /** The small parts, as data. */
  value: unknown;
  /** The large parts as JSON, with their paths. */
  packed: { path: string[]; bytes: Uint8Array<ArrayBuffer>; isList: boolean; faults: Fault[] }[];
  /** The digest of the whole value, if requested. */
  digest?: string;
}

/** Parses large bodies in a worker; this class is its provider token. */
export abstract class LargeBodyReader {
  /** Like parseBody; transfers the bytes to the worker. */
  abstract parse(bytes: Uint8Array<ArrayBuffer>, options: { digest: boolean }): Promise<LargeBody>;
}

/**
 * Parses a body so that the main thread receives little data: lists, and objects below the second level, are packed
 * once the allowance for data is used up.
 *
 * @throws InvalidRequest for more members than any request has
 */
export function parseLargeBody(bytes: Uint8Array, options: { digest: boolean }): LargeBody {
  const body = parseJsonBody(bytes);
  assertFieldCount(body);
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
    // The root is never packed: its members are the fields of the request.
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
  return { value: divided(body), packed, ...(options.digest ? { digest: hashJson(body) } : {}) };
}

/** What is no field of the request is named by the main thread, which would have to receive all of it. */
function assertFieldCount(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const count = Object.keys(body).length;
  if (count <= MAX_FIELDS) return;
  const detail = `has ${count} members, and no request has more than ${MAX_FIELDS}`;
  throw new InvalidRequest(`the body ${detail}`, { errors: [{ pointer: '', detail }] });
}

/** Inserts the packed parts into the body. */
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
