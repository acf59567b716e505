import { InvalidRequest } from '../core/errors/app-error.js';
import { FaultList } from './fault-list.js';
import { type FormatLimits } from './limits.js';
import { type SourceFile } from './source-file.js';

const LONGEST_CHAIN = 16;
const MOST_LINKS = 100;
/** Characters of a path, and folders in it, as systems have them. */
const LONGEST_PATH = 4096;
const DEEPEST_PATH = 100;
/** Bytes that an archive may have for each entry beside its content: headers, long names and padding. */
const ENTRY_OVERHEAD = 2048;

/** What has been unpacked so far: archives within one another count together. */
export interface Unpacked {
  entries: number;
  bytes: number;
}

/** What has come out of an archive so far, and the rules for what may. */
export class ArchiveContents {
  private readonly files = new Map<string, SourceFile>();
  private readonly links = new Map<string, string[]>();
  private readonly faults: FaultList;

  constructor(
    private readonly archive: string,
    private readonly limits: FormatLimits,
    private readonly unpacked: Unpacked = { entries: 0, bytes: 0 },
  ) {
    this.faults = new FaultList(limits.faults);
  }

  /** Counts an entry and answers its path, or undefined when the entry is a fault and its bytes are of no use. Throws at a limit. */
  admit(name: string, size: number): string | undefined {
    this.unpacked.entries += 1;
    if (this.unpacked.entries > this.limits.archiveEntries)
      this.stop(`has more than ${this.limits.archiveEntries} entries`);
    if (size > this.limits.entryBytes)
      this.stop(`holds ${show(name)}, which is larger than ${this.limits.entryBytes} bytes`);
    if (name.length > LONGEST_PATH) {
      this.fault(name, `has a path of more than ${LONGEST_PATH} characters`);
      return undefined;
    }
    const path = inside([], name);
    if (!path) this.fault(name, 'leads out of the archive');
    else if (path.length > DEEPEST_PATH) this.fault(name, `lies deeper than ${DEEPEST_PATH} folders`);
    else if (path.length > 0) return path.join('/');
    return undefined;
  }

  /** Bounds the whole of an archive as it is unpacked, headers included. Throws at the limit. */
  countRaw(bytes: number): void {
    const { archiveBytes, archiveEntries } = this.limits;
    if (bytes > archiveBytes + archiveEntries * ENTRY_OVERHEAD) this.stop(`unpacks to more than ${archiveBytes} bytes`);
  }

  /** Counts bytes as they come out, whatever a header promised. Throws at a limit. */
  count(name: string, chunk: number, total: number): void {
    this.unpacked.bytes += chunk;
    if (total > this.limits.entryBytes)
      this.stop(`holds ${show(name)}, which is larger than ${this.limits.entryBytes} bytes`);
    if (this.unpacked.bytes > this.limits.archiveBytes)
      this.stop(`unpacks to more than ${this.limits.archiveBytes} bytes`);
  }

  add(path: string, bytes: Uint8Array): void {
    if (this.files.has(path) || this.links.has(path)) this.fault(path, 'is in the archive twice');
    else this.files.set(path, { path, bytes });
  }

  /** A symbolic link counts from its own folder, a hard link from the root of the archive. */
  link(path: string, target: string, symbolic: boolean): void {
    const resolved = target.length <= LONGEST_PATH && inside(symbolic ? path.split('/').slice(0, -1) : [], target);
    if (!resolved) this.fault(path, `is a link that leads out of the archive (${show(target)})`);
    else if (this.files.has(path) || this.links.has(path)) this.fault(path, 'is in the archive twice');
    else this.links.set(path, resolved);
    if (this.links.size > MOST_LINKS) this.stop(`has more than ${MOST_LINKS} links`);
  }

  fault(name: string, detail: string): void {
    this.faults.add({ file: `${this.archive}/${show(name)}`, detail, remedy: 'Pack plain files below one folder.' });
  }

  /** The files, links replaced by what they point to. Throws with every fault of the archive. */
  finish(): ReadonlyMap<string, SourceFile> {
    for (const path of [...this.files.keys(), ...this.links.keys()]) this.mustNotCrossLink(path);
    for (const [path, target] of this.links) this.follow(path, target);
    if (this.files.size === 0 && this.faults.empty)
      this.faults.add({ file: this.archive, detail: 'has no files in it' });
    this.faults.raise(this.archive);
    return this.files;
  }

  /** A member below a link is written through it by an unpacker, so nothing sound has one. */
  private mustNotCrossLink(path: string): void {
    for (const link of this.links.keys()) {
      if (path.length > link.length && path[link.length] === '/' && path.startsWith(link)) {
        this.fault(path, 'lies below a link');
        return;
      }
    }
  }

  private follow(path: string, target: string[]): void {
    const found = this.resolve(target, 0);
    if (found === undefined) {
      this.fault(path, `is a link to ${show(target.join('/'))}, which leads out of the archive or is not in it`);
      return;
    }
    const file = this.files.get(found);
    if (file) this.files.set(path, { path, bytes: file.bytes });
    else this.adopt(path, found);
  }

  /** The path behind all links on the way, or undefined when it leaves the archive or turns in a circle. */
  private resolve(segments: readonly string[], steps: number): string | undefined {
    if (steps > LONGEST_CHAIN) return undefined;
    for (let length = 1; length <= segments.length; length += 1) {
      const target = this.links.get(segments.slice(0, length).join('/'));
      if (!target) continue;
      const rest = inside(target, segments.slice(length).join('/'));
      return rest && this.resolve(rest, steps + 1);
    }
    const path = segments.join('/');
    return this.files.has(path) || this.below(path).length > 0 ? path : undefined;
  }

  /** A link to a folder: its files appear below the link as well, counted like any other. */
  private adopt(path: string, folder: string): void {
    for (const [from, file] of this.below(folder)) {
      const copy = path + from.slice(folder.length);
      this.admit(copy, file.bytes.length);
      if (!this.files.has(copy)) this.files.set(copy, { path: copy, bytes: file.bytes });
    }
  }

  private below(folder: string): [string, SourceFile][] {
    return [...this.files].filter(([path]) => path.startsWith(`${folder}/`));
  }

  private stop(detail: string): never {
    throw new InvalidRequest(`${this.archive} ${detail}`, {
      errors: [{ file: this.archive, detail }],
      remedy: 'Send a smaller archive, or only the files that are needed.',
    });
  }
}

/** `name` seen from a folder as segments, without `.`; undefined when it is absolute or climbs out. Windows forms count as well. */
function inside(folder: readonly string[], name: string): string[] | undefined {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(name) || name.includes('\0')) return undefined;
  const path = [...folder];
  for (const segment of name.split(/[/\\]/)) {
    if (segment === '..' && path.pop() === undefined) return undefined;
    if (segment !== '' && segment !== '.' && segment !== '..') path.push(segment);
  }
  return path;
}

function show(name: string): string {
  const clean = name.replace(/\p{C}/gu, '\ufffd');
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean;
}
