import 'reflect-metadata';
import type { Fault } from '../errors/app-error.js';

/** A part of a request that is too large to be data on the main thread: its JSON, for a later stage to hand to a worker. */
export class PackedJson {
  constructor(
    /** UTF-8, in a buffer of its own. */
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly isList: boolean,
    /** What `unsound` found in it, with pointers that begin at this part. */
    readonly faults: readonly Fault[],
  ) {}

  /** The part as data; takes as long as it is large. */
  unpack(): unknown {
    return JSON.parse(Buffer.from(this.bytes.buffer).toString());
  }
}

/** The JSON of a part of a body, packed as a whole, in its members or not at all, in a buffer of its own. */
export function toJsonBytes(part: unknown): Uint8Array<ArrayBuffer> {
  if (part instanceof PackedJson) return new Uint8Array(part.bytes);
  if (!hasPackedMembers(part)) return new TextEncoder().encode(JSON.stringify(part));
  const pieces = Object.entries(part).flatMap(([name, member], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    toJsonBytes(member),
  ]);
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from('}')]));
}

/** Whether a part of a body is a list, packed or not. */
export const isList = (part: unknown): boolean => (part instanceof PackedJson ? part.isList : Array.isArray(part));

const KEEP_PACKED = 'armature:keeps-packed';

/**
 * Lets a field of an input stay packed, or those of its members that are named: its reader passes it to a worker.
 * Fields without this are data when the handler gets them.
 */
export const KeepPacked =
  (...members: string[]): PropertyDecorator =>
  (target, key) =>
    Reflect.defineMetadata(KEEP_PACKED, members, target, key);

/** Bytes of packed JSON in one request that become data again for fields that do not stay packed. */
const MAX_UNPACKED_BYTES = 512 * 1024;

/** Makes the fields of an input data again, but for what may stay packed. */
export class JsonUnpacker {
  private remainingBytes = MAX_UNPACKED_BYTES;

  /** @param input the class whose fields they are */
  constructor(private readonly input: { readonly prototype: object }) {}

  /** @returns undefined when the field is too large to be data */
  unpackField(name: string, value: unknown): { value: unknown } | undefined {
    const members = Reflect.getMetadata(KEEP_PACKED, this.input.prototype, name) as string[] | undefined;
    if (members?.length === 0) return { value };
    if (value instanceof PackedJson) return this.unpack(value);
    if (!hasPackedMembers(value)) return { value };
    const opened: [string, unknown][] = [];
    for (const [key, member] of Object.entries(value)) {
      const taken = member instanceof PackedJson && !members?.includes(key) ? this.unpack(member) : { value: member };
      if (!taken) return undefined;
      opened.push([key, taken.value]);
    }
    return { value: Object.fromEntries(opened) };
  }

  private unpack(part: PackedJson): { value: unknown } | undefined {
    this.remainingBytes -= part.bytes.length;
    return this.remainingBytes < 0 ? undefined : { value: part.unpack() };
  }
}

export const TOO_MUCH_DATA_DETAIL = `must have at most ${MAX_UNPACKED_BYTES} bytes of JSON`;

/** Whether a value is an object in which something is packed. */
function hasPackedMembers(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).some((member) => member instanceof PackedJson || hasPackedMembers(member))
  );
}
