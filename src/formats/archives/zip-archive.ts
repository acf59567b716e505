import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { type ArchiveContents } from './archive-contents.js';

const FILE_TYPE = 0o170000;
const DIRECTORY = 0o040000;
const REGULAR = 0o100000;
const SYMLINK = 0o120000;
const UNIX = 3;
/** The reader's error for a member with an unsafe name; it stops there. */
const UNSAFE_NAME = /^(?:invalid relative path|absolute path|invalid characters in fileName): ([^]*)$/;

/** Reads a zip member by member, counting unpacked bytes rather than trusting the directory. */
export async function unpackZip(bytes: Uint8Array, contents: ArchiveContents): Promise<void> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  try {
    for await (const entry of zip.eachEntry()) await unpackEntry(zip, entry, contents);
  } catch (error) {
    const [, name] = UNSAFE_NAME.exec(error instanceof Error ? error.message : '') ?? [];
    if (name === undefined) throw error;
    contents.addFault(name, 'is a path outside the archive');
  }
}

async function unpackEntry(zip: ZipFile, entry: Entry, contents: ArchiveContents): Promise<void> {
  const name = entry.fileName;
  const path = contents.admit(name, entry.uncompressedSize);
  const mode = entry.versionMadeBy >> 8 === UNIX ? (entry.externalFileAttributes >>> 16) & FILE_TYPE : 0;
  if (path === undefined || name.endsWith('/') || mode === DIRECTORY) return;
  if (mode !== 0 && mode !== REGULAR && mode !== SYMLINK) {
    contents.addFault(name, 'is a device or a pipe, not a file');
    return;
  }
  if (entry.isEncrypted()) {
    contents.addFault(name, 'is encrypted');
    return;
  }
  const data = await inflate(zip, entry, contents);
  if (mode === SYMLINK) contents.addLink(path, data.toString('utf8'), true);
  else contents.add(path, new Uint8Array(data));
}

async function inflate(zip: ZipFile, entry: Entry, contents: ArchiveContents): Promise<Buffer> {
  const stream = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    contents.countBytes(entry.fileName, chunk.length, size);
    chunks.push(chunk);
  }
  const data = Buffer.concat(chunks, size);
  if (crc32(data) !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`);
  return data;
}
