import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { AppError } from '../../core/errors/app-error.js';
import { type ArchiveContents } from './archive-contents.js';

const BLOCK_BYTES = 512;
const SLICE_BYTES = 64 * 1024;
/** The chunk size of decompression: each chunk is a round trip to another thread, and the most that a bomb can exceed a limit. */
const UNZIPPED_CHUNK_BYTES = 256 * 1024;

/** Reads a tar in chunks, so that the event loop runs between them and nothing is unpacked beyond a limit. */
export async function unpackTar(bytes: Uint8Array, compressed: boolean, contents: ArchiveContents): Promise<void> {
  const tar = extract();
  const reading = (async () => {
    for await (const entry of tar) {
      const keep = admitMember(entry.header, contents);
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of entry as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        contents.countBytes(entry.header.name, chunk.length, size);
        if (keep !== undefined) chunks.push(chunk);
      }
      if (keep !== undefined) contents.add(keep, concatExact(chunks, size));
    }
  })();
  const source = Readable.from(slices(bytes), { objectMode: false });
  const unpacking = compressed
    ? pipeline(source, createGunzip({ chunkSize: UNZIPPED_CHUNK_BYTES }), new WholeBlocks(contents), tar)
    : pipeline(source, new WholeBlocks(contents), tar);
  const [read, unpacked] = await Promise.allSettled([reading, unpacking]);
  // A failure on either side ends the other; this code's own refusal takes precedence over errors of the decompressor.
  if (read.status === 'rejected' && read.reason instanceof AppError) throw read.reason;
  if (unpacked.status === 'rejected') throw unpacked.reason as Error;
  if (read.status === 'rejected') throw read.reason as Error;
}

/** The path under which the bytes are stored; undefined for entries without content and refused ones. */
function admitMember({ name, type, size, linkname }: Header, contents: ArchiveContents): string | undefined {
  const path = contents.admit(name, size ?? 0);
  if (path === undefined || type === 'directory') return undefined;
  if (type === 'file' || type === 'contiguous-file' || type == null) return path;
  if (type === 'symlink' || type === 'link') contents.addLink(path, linkname ?? '', type === 'symlink');
  else contents.addFault(name, `is a ${type}, not a file`);
  return undefined;
}

/** One buffer of the exact size: a chunk may be a view of a larger one. */
function concatExact(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

/** What is compressed is something else than a tar. */
export class NotATar extends Error {}

/** The parser accepts an end in the middle of a header, and headers of any size; a valid tar consists of whole blocks. */
class WholeBlocks extends Transform {
  private size = 0;
  /** The received bytes of the first block. */
  private head = Buffer.alloc(0);

  constructor(private readonly contents: ArchiveContents) {
    super();
  }

  override _transform(chunk: Uint8Array, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length;
    try {
      this.contents.countRaw(this.size);
      if (this.head.length < BLOCK_BYTES) this.readHead(chunk);
      done(null, chunk);
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    if (this.size > 0 && this.size < BLOCK_BYTES) done(new NotATar());
    else done(this.size % BLOCK_BYTES === 0 ? null : new Error('it ends in the middle of a block'));
  }

  private readHead(chunk: Uint8Array): void {
    this.head = Buffer.concat([this.head, chunk.subarray(0, BLOCK_BYTES - this.head.length)]);
    if (this.head.length === BLOCK_BYTES && !isTarHeader(this.head)) throw new NotATar();
  }
}

/** Whether a block has the checksum of a header, or is empty as the last blocks are. */
function isTarHeader(block: Uint8Array): boolean {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  const checksum = Buffer.from(block.subarray(148, 156)).toString('latin1');
  return parseInt(checksum.replace(/\0/g, ' ').trim(), 8) === sum || block.every((byte) => byte === 0);
}
