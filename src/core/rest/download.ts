import { StreamableFile } from '@nestjs/common';

/** A file that the caller downloads. */
export interface Download {
  name: string;
  /** Media type. */
  type: string;
  content: Buffer | string;
}

const MAX_NAME_LENGTH = 150;
/** What file systems or shells take for something else than a letter of a name. */
const UNSAFE_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** The answer that browsers save under the name of the file. */
export function toStreamableFile({ name, type, content }: Download): StreamableFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return new StreamableFile(bytes, { type, disposition: contentDisposition(name), length: bytes.length });
}

/** Content-Disposition for a name of any characters (RFC 6266): the name itself, and for old clients what ASCII has of it. */
export function contentDisposition(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_')
    .replace(/["\\%]/g, '_');
  const short = `attachment; filename="${plain}"`;
  return plain === name ? short : `${short}; filename*=UTF-8''${encodeExtendedValue(name)}`;
}

/** A name as a file may have it: no paths, no control characters, not hidden, and not too long. */
export function toFileName(wanted: string, otherwise: string): string {
  const clean = wanted.replace(UNSAFE_CHARACTERS, '-').replace(/^[.\s-]+|[.\s-]+$/g, '');
  return [...clean].slice(0, MAX_NAME_LENGTH).join('') || otherwise;
}

/** RFC 8187; characters that cannot be encoded are replaced. */
function encodeExtendedValue(name: string): string {
  const sound = name.replace(/\p{Cs}/gu, '\ufffd');
  return encodeURIComponent(sound).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
