import { once } from 'node:events';
import { type Header, pack } from 'tar-stream';

export type TarMember = Partial<Header> & { name: string; text?: string | Buffer };

/** A tar of these members, in their order. */
export async function tar(...members: TarMember[]): Promise<Buffer> {
  const stream = pack();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(chunk as Buffer));
  for (const { text, ...header } of members) stream.entry(header, text ?? '');
  stream.finalize();
  await once(stream, 'end');
  return Buffer.concat(chunks);
}

/** A tar of text files, given as path → content. */
export function tarOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  return tar(...Object.entries(files).map(([name, text]) => ({ name, text })));
}
