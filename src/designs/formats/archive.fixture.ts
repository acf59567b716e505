import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { tarOf } from '../../formats/archives/tar.fixture.js';

/** Files by path as .tar.gz. */
export async function archiveOf(files: Record<string, string | Buffer>, path = 'sent.tar.gz'): Promise<SourceFile> {
  return { path, bytes: gzipSync(await tarOf(files)) };
}

/** All files below a folder by path, each path beginning with `top`. */
export function filesIn(folder: string, top: string): Record<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [join(top, relative(folder, path)), readFileSync(path)]));
}

/** The members of a .tar.gz by path. */
export async function membersOf(archive: Uint8Array): Promise<Record<string, Buffer>> {
  const reader = extract();
  reader.end(gunzipSync(archive));
  const members: Record<string, Buffer> = {};
  for await (const entry of reader) members[entry.header.name] = await buffer(entry);
  return members;
}
