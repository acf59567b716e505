import type { Fault } from '../../errors/app-error.js';
import { PackedJson } from '../../schema/packed-json.js';
import { unsound } from '../../schema/sound.js';
import { digestOf, INLINE_MAX_BYTES, parseBody } from './json-body.js';

/** Members of an object beyond which it is packed as a whole. */
const MOST_MEMBERS = 100;
/** Objects further down are packed as a whole. */
const DEEPEST_OPEN = 2;

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
export abstract class LargeBodies {
  /** As parseBody. The bytes go over to the worker. */
  abstract read(bytes: Uint8Array<ArrayBuffer>, wish: { digest: boolean }): Promise<LargeBody>;
}

/**
 * Parses a body, and divides it so that the main thread gets little data: lists, and objects below the members of the
 * members of the body, are packed once the data that fits is used up.
 */
export function readLargeBody(bytes: Uint8Array, wish: { digest: boolean }): LargeBody {
  const body = parseBody(bytes);
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
    const isClosed = path.length > 0 && (path.length >= DEEPEST_OPEN || members.length > MOST_MEMBERS);
    if (isList || isClosed) {
      packed.push({ path: [...path], bytes: new TextEncoder().encode(text), isList, faults: unsound(value, '') });
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
  return { value: divided(body), packed, ...(wish.digest ? { digest: digestOf(body) } : {}) };
}

/** The body with its packed parts in their places. */
export function assembled({ value, packed }: LargeBody): unknown {
  const root = { body: value };
  for (const { path, bytes, isList, faults } of packed) {
    const names = ['body', ...path];
    const last = names.pop() ?? '';
    const parent = names.reduce((at, name) => at[name] as Record<string, unknown>, root as Record<string, unknown>);
    parent[last] = new PackedJson(bytes, isList, faults);
  }
  return root.body;
}
