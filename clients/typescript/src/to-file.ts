import type * as FileSystem from 'node:fs';
import type * as Path from 'node:path';

/** What a file is made of: a path (in Node.js), bytes, text of a blob, or a stream. */
export type FileSource =
  string | Blob | ArrayBuffer | ArrayBufferView | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** Makes a file to upload. That of a path is read while it is sent, and is not kept in memory; a stream is. */
export async function toFile(source: FileSource, name?: string): Promise<File> {
  if (typeof source === 'string') {
    const fs = builtin<typeof FileSystem>('node:fs');
    return new File([await fs.openAsBlob(source)], name ?? builtin<typeof Path>('node:path').basename(source));
  }
  if (source instanceof Blob) return new File([source], name ?? (source instanceof File ? source.name : 'file'));
  const blob = await new Response(source as ArrayBuffer | ReadableStream<Uint8Array>).blob();
  return new File([blob], name ?? 'file');
}

/** A module of Node.js, that bundlers for browsers do not look for. */
function builtin<Module>(name: string): Module {
  const module = globalThis.process?.getBuiltinModule?.(name) as Module | undefined;
  if (!module) throw new TypeError('Paths of files are for Node.js: give the file, its bytes or a stream.');
  return module;
}
