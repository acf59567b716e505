import { DesignOutline, type OutlineData, outlineOf } from './design-outline.js';
import { type DesignFile } from './design-file.js';
import { type Json, textOf } from './located.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** A packed design in a form that passes between threads. */
export interface PackedData {
  /** The members of the design by name, in its order, each as UTF-8 JSON in a buffer of its own. */
  members: Map<string, Bytes>;
  outline: OutlineData;
}

/**
 * A design held as bytes: what is large in it crosses threads, is stored and is answered without ever being data on the main thread.
 * Its few short members can be read and replaced.
 */
export class PackedDesign {
  readonly outline: DesignOutline;

  constructor(private readonly data: PackedData) {
    this.outline = new DesignOutline(data.outline);
  }

  /** Takes as long as the design is large: large ones are packed by a task. */
  static of(design: DesignFile): PackedDesign {
    return new PackedDesign(packed(design));
  }

  get version(): string {
    return textOf(this.member('version'));
  }

  /** The same design with other members; the bytes of the rest are shared. New ones come last. */
  with(changes: Partial<DesignFile>): PackedDesign {
    const members = new Map(this.data.members);
    for (const [name, value] of Object.entries(changes)) members.set(name, bytesOf(value));
    return new PackedDesign({ members, outline: this.data.outline });
  }

  /** With members that are bytes already. */
  withBytes(changes: Record<string, Bytes>): PackedDesign {
    const members = new Map([...this.data.members, ...Object.entries(changes)]);
    return new PackedDesign({ members, outline: this.data.outline });
  }

  /** One member as data: for short ones. */
  member(name: string): Json | undefined {
    const bytes = this.data.members.get(name);
    return bytes && (JSON.parse(Buffer.from(bytes.buffer).toString()) as Json);
  }

  /** A copy of the bytes of one member, in a buffer of its own. */
  bytesOfMember(name: string): Bytes {
    return new Uint8Array(this.data.members.get(name) ?? bytesOf(null));
  }

  /** The whole as UTF-8 JSON, in a buffer of its own: what JSON.stringify makes of the design. */
  bytes(): Bytes {
    const parts = [...this.data.members].flatMap(([name, bytes], index) => [
      bytesOfText(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      bytes,
    ]);
    const end = bytesOfText(parts.length === 0 ? '{}' : '}');
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, end.length));
    let at = 0;
    for (const part of [...parts, end]) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

export function packed(design: DesignFile): PackedData {
  const defined = Object.entries(design).filter(([, value]) => value !== undefined);
  return {
    members: new Map(defined.map(([name, value]) => [name, bytesOf(value)])),
    outline: outlineOf(design.components),
  };
}

/** What of packed data goes over to another thread instead of being copied. */
export function buffersOf({ members }: PackedData): ArrayBuffer[] {
  return [...members.values()].map(({ buffer }) => buffer);
}

export function bytesOf(value: unknown): Bytes {
  return bytesOfText(JSON.stringify(value));
}

/** A buffer of its own, which a Buffer of few bytes has not. */
function bytesOfText(text: string): Bytes {
  return new TextEncoder().encode(text);
}
