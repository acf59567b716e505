import { DesignOutline, type OutlineData, buildOutline } from './design-outline.js';
import { type DesignFile } from './design-file.js';
import { type Json, asText } from '../../core/json/json.js';

type Bytes = Uint8Array<ArrayBuffer>;

const RECORD_MEMBERS: ReadonlySet<string> = new Set(['id', 'name', 'version']);
const NOTHING = new Uint8Array();

/** A packed design in a form that can be sent between threads. */
export interface PackedDesignData {
  /** The members of the design by name, in its order, each as UTF-8 JSON in a separate buffer. */
  members: Map<string, Bytes>;
  outline: OutlineData;
}

/**
 * A design held as bytes: its large members are sent to threads, stored and returned without ever being parsed on the main thread.
 * Its few short members can be read and replaced.
 */
export class PackedDesign {
  readonly outline: DesignOutline;

  constructor(private readonly data: PackedDesignData) {
    this.outline = new DesignOutline(data.outline);
  }

  /** Takes time in proportion to the design: large ones are packed by a task. */
  static pack(design: DesignFile): PackedDesign {
    return new PackedDesign(packDesign(design));
  }

  get version(): string {
    return asText(this.getMember('version'));
  }

  /** The same design with changed members; the bytes of the rest are shared. New ones come last. */
  withMembers(changes: Partial<DesignFile>): PackedDesign {
    const members = new Map(this.data.members);
    for (const [name, value] of Object.entries(changes)) members.set(name, encodeJson(value));
    return new PackedDesign({ members, outline: this.data.outline });
  }

  /** The same design with the first item of a list that has the key of another item; null when there is none. */
  withRepeatedItem(repeatedItem: string | null): PackedDesign {
    return new PackedDesign({ ...this.data, outline: { ...this.data.outline, repeatedItem } });
  }

  /**
   * Whether two designs have equal content: the id, the name and the version belong to the records of designs.
   * @param ignored further members that may differ
   */
  hasSameContent(other: PackedDesign, ignored: string[] = []): boolean {
    const [own, others] = [this.contentMembers(ignored), other.contentMembers(ignored)];
    return (
      own.length === others.length &&
      own.every(([name, bytes]) => Buffer.compare(bytes, other.data.members.get(name) ?? NOTHING) === 0)
    );
  }

  /** One member, parsed: for short ones. */
  getMember(name: string): Json | undefined {
    const bytes = this.data.members.get(name);
    return bytes && (JSON.parse(Buffer.from(bytes.buffer).toString()) as Json);
  }

  private contentMembers(ignored: string[]): [string, Bytes][] {
    return [...this.data.members].filter(([name]) => !RECORD_MEMBERS.has(name) && !ignored.includes(name));
  }

  /** The whole as UTF-8 JSON, in a separate buffer: equal to JSON.stringify of the design. */
  toBytes(): Bytes {
    const parts = [...this.data.members].flatMap(([name, bytes], index) => [
      encodeText(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      bytes,
    ]);
    const end = encodeText(parts.length === 0 ? '{}' : '}');
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, end.length));
    let at = 0;
    for (const part of [...parts, end]) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

export function packDesign(design: DesignFile): PackedDesignData {
  const defined = Object.entries(design).filter(([, value]) => value !== undefined);
  return {
    members: new Map(defined.map(([name, value]) => [name, encodeJson(value)])),
    outline: buildOutline(design.components),
  };
}

/** The buffers of packed data that are transferred to another thread instead of being copied. */
export function getTransferList({ members }: PackedDesignData): ArrayBuffer[] {
  return [...members.values()].map(({ buffer }) => buffer);
}

export function encodeJson(value: unknown): Bytes {
  return encodeText(JSON.stringify(value));
}

/** A separate buffer; a small Buffer shares one. */
function encodeText(text: string): Bytes {
  return new TextEncoder().encode(text);
}
