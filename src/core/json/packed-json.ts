import 'reflect-metadata';
import type { Fault } from '../errors/app-error.js';

/** The JSON of a part of a request that is too large to parse on the main thread; it is passed to a worker. */
export class PackedJson {
  constructor(
    /** UTF-8, in a separate buffer. */
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly isList: boolean,
    /** Faults that `findUnstorableParts` found, with pointers relative to this part. */
    readonly faults: readonly Fault[],
  ) {}

  /** Parses the part on the calling thread, in time proportional to its size. */
  unpack(): unknown {
    return JSON.parse(Buffer.from(this.bytes.buffer).toString());
  }
}

/** Serializes a part of a body to JSON in a separate buffer; the part, or members of it, may be packed. */
export function toJsonBytes(part: unknown): Uint8Array<ArrayBuffer> {
  if (part instanceof PackedJson) return new Uint8Array(part.bytes);
  if (!hasPackedMembers(part)) return new TextEncoder().encode(JSON.stringify(part));
  const pieces = Object.entries(part).flatMap(([name, member], index) => [
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    toJsonBytes(member),
  ]);
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from('}')]));
}

/** Reports whether a part of a body is a list, packed or not. */
export const isList = (part: unknown): boolean => (part instanceof PackedJson ? part.isList : Array.isArray(part));

const KEEP_PACKED = 'armature:keeps-packed';

/**
 * Keeps a field of an input, or the named members of it, packed until its consumer passes it to a worker. Other
 * fields are unpacked before the handler runs.
 */
export const KeepPacked =
  (...members: string[]): PropertyDecorator =>
  (target, key) =>
    Reflect.defineMetadata(KEEP_PACKED, members, target, key);

/** The maximum bytes of packed JSON per request to parse on the main thread for fields without `@KeepPacked`. */
const MAX_UNPACKED_BYTES = 512 * 1024;

/** Unpacks the fields of an input, except those with `@KeepPacked`. */
export class JsonUnpacker {
  private remainingBytes = MAX_UNPACKED_BYTES;

  /** @param input the class of the input */
  constructor(private readonly input: { readonly prototype: object }) {}

  /** @returns undefined when the field is too large to unpack */
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

/** Reports whether a value is an object with packed members. */
function hasPackedMembers(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).some((member) => member instanceof PackedJson || hasPackedMembers(member))
  );
}
