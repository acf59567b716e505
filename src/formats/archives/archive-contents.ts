import { InvalidRequest } from '../../core/errors/app-error.js';
import { FaultList } from '../sources/fault-list.js';
import type { FormatLimits } from '../sources/format-limits.js';
import { type SourceFile } from '../sources/source-file.js';

const MAX_LINK_CHAIN = 16;
const MAX_LINKS = 100;
/** Limits on the characters of a path, and its folders, as file systems have them. */
const MAX_PATH_LENGTH = 4096;
const MAX_PATH_DEPTH = 100;
/** Bytes allowed for each entry of an archive beside its content: headers, long names and padding. */
const ENTRY_OVERHEAD = 2048;

/** The amounts unpacked so far: nested archives count together. */
export interface UnpackedTotals {
  entries: number;
  bytes: number;
}

/** The content unpacked from an archive so far, and its limits. */
export class ArchiveContents {
  private readonly files = new Map<string, SourceFile>();
  private readonly links = new Map<string, string[]>();
  private readonly faults: FaultList;

  constructor(
    private readonly archive: string,
    private readonly limits: FormatLimits,
    private readonly unpacked: UnpackedTotals = { entries: 0, bytes: 0 },
  ) {
    this.faults = new FaultList(limits.faults);
  }

  /** Counts an entry and returns its path, or undefined for a faulty entry, whose bytes are ignored. Throws at a limit. */
  admit(name: string, size: number): string | undefined {
    this.unpacked.entries += 1;
    if (this.unpacked.entries > this.limits.archiveEntries)
      this.refuse(`has more than ${this.limits.archiveEntries} entries`);
    if (size > this.limits.entryBytes)
      this.refuse(`holds ${toDisplayName(name)}, which is larger than ${this.limits.entryBytes} bytes`);
    if (name.length > MAX_PATH_LENGTH) {
      this.addFault(name, `has a path of more than ${MAX_PATH_LENGTH} characters`);
      return undefined;
    }
    const path = resolveInside([], name);
    if (!path) this.addFault(name, 'is a path outside the archive');
    else if (path.length > MAX_PATH_DEPTH) this.addFault(name, `lies deeper than ${MAX_PATH_DEPTH} folders`);
    else if (path.length > 0) return path.join('/');
    return undefined;
  }

  /** Limits the total size of an archive during unpacking, including headers. Throws at the limit. */
  countRaw(bytes: number): void {
    const { archiveBytes, archiveEntries } = this.limits;
    if (bytes > archiveBytes + archiveEntries * ENTRY_OVERHEAD)
      this.refuse(`unpacks to more than ${archiveBytes} bytes`);
  }

  /** Counts bytes as they are unpacked, regardless of headers. Throws at a limit. */
  countBytes(name: string, chunk: number, total: number): void {
    this.unpacked.bytes += chunk;
    if (total > this.limits.entryBytes)
      this.refuse(`holds ${toDisplayName(name)}, which is larger than ${this.limits.entryBytes} bytes`);
    if (this.unpacked.bytes > this.limits.archiveBytes)
      this.refuse(`unpacks to more than ${this.limits.archiveBytes} bytes`);
  }

  add(path: string, bytes: Uint8Array): void {
    if (this.files.has(path) || this.links.has(path)) this.addFault(path, 'is in the archive twice');
    else this.files.set(path, { path, bytes });
  }

  /** A symbolic link is relative to its own folder, a hard link to the root of the archive. */
  addLink(path: string, target: string, symbolic: boolean): void {
    const resolved =
      target.length <= MAX_PATH_LENGTH && resolveInside(symbolic ? path.split('/').slice(0, -1) : [], target);
    if (!resolved) this.addFault(path, `is a link to a path outside the archive (${toDisplayName(target)})`);
    else if (this.files.has(path) || this.links.has(path)) this.addFault(path, 'is in the archive twice');
    else this.links.set(path, resolved);
    if (this.links.size > MAX_LINKS) this.refuse(`has more than ${MAX_LINKS} links`);
  }

  addFault(name: string, detail: string): void {
    this.faults.add({
      file: `${this.archive}/${toDisplayName(name)}`,
      detail,
      remedy: 'Pack plain files below one folder, under names without ".." and without a leading "/".',
    });
  }

  /** The files, with links replaced by their targets. Throws with every fault of the archive. */
  finish(): ReadonlyMap<string, SourceFile> {
    for (const path of [...this.files.keys(), ...this.links.keys()]) this.checkNotBelowLink(path);
    for (const [path, target] of this.links) this.replaceLink(path, target);
    if (this.files.size === 0 && this.faults.isEmpty)
      this.faults.add({ file: this.archive, detail: 'has no files in it' });
    this.faults.throwIfAny(this.archive);
    return this.files;
  }

  /** An unpacker would write a member below a link through it, so valid archives have none. */
  private checkNotBelowLink(path: string): void {
    for (const link of this.links.keys()) {
      if (path.length > link.length && path[link.length] === '/' && path.startsWith(link)) {
        this.addFault(path, 'lies below a link');
        return;
      }
    }
  }

  private replaceLink(path: string, target: string[]): void {
    const found = this.resolveLinks(target, 0);
    if (found === undefined) {
      this.addFault(
        path,
        `is a link to ${toDisplayName(target.join('/'))}, which is outside the archive or does not exist`,
      );
      return;
    }
    const file = this.files.get(found);
    if (file) this.files.set(path, { path, bytes: file.bytes });
    else this.copyFolder(path, found);
  }

  /** The path behind all links, or undefined when it leaves the archive or is circular. */
  private resolveLinks(segments: readonly string[], steps: number): string | undefined {
    if (steps > MAX_LINK_CHAIN) return undefined;
    for (let length = 1; length <= segments.length; length += 1) {
      const target = this.links.get(segments.slice(0, length).join('/'));
      if (!target) continue;
      const rest = resolveInside(target, segments.slice(length).join('/'));
      return rest && this.resolveLinks(rest, steps + 1);
    }
    const path = segments.join('/');
    return this.files.has(path) || this.filesBelow(path).length > 0 ? path : undefined;
  }

  /** A link to a folder: its files appear below the link as well, counted like any other. */
  private copyFolder(path: string, folder: string): void {
    for (const [from, file] of this.filesBelow(folder)) {
      const copy = path + from.slice(folder.length);
      this.admit(copy, file.bytes.length);
      if (!this.files.has(copy)) this.files.set(copy, { path: copy, bytes: file.bytes });
    }
  }

  private filesBelow(folder: string): [string, SourceFile][] {
    return [...this.files].filter(([path]) => path.startsWith(`${folder}/`));
  }

  private refuse(detail: string): never {
    throw new InvalidRequest(`${this.archive} ${detail}`, {
      errors: [{ file: this.archive, detail }],
      remedy: 'Send a smaller archive, or only the files that are needed.',
    });
  }
}

/** `name` relative to a folder as segments, without `.`; undefined when it is absolute or leads outside. Windows forms count as well. */
function resolveInside(folder: readonly string[], name: string): string[] | undefined {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(name) || name.includes('\0')) return undefined;
  const path = [...folder];
  for (const segment of name.split(/[/\\]/)) {
    if (segment === '..' && path.pop() === undefined) return undefined;
    if (segment !== '' && segment !== '.' && segment !== '..') path.push(segment);
  }
  return path;
}

function toDisplayName(name: string): string {
  const clean = name.replace(/\p{C}/gu, '\ufffd');
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean;
}
