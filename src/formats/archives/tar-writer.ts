import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';

const compress = promisify(gzip);
/** Equal files give equal bytes at any time. */
const EPOCH = new Date(0);

/** Packs files by path as .tar.gz, in their order. */
export async function packTarGz(files: Iterable<readonly [string, Uint8Array | string]>): Promise<Buffer> {
  const tar = pack();
  const packed = buffer(tar);
  for (const [name, content] of files) tar.entry({ name, mtime: EPOCH, mode: 0o644 }, Buffer.from(content));
  tar.finalize();
  return compress(await packed);
}
