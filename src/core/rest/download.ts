import { StreamableFile } from '@nestjs/common';
import { trimText } from '../trim-text.js';

/** A file that the caller downloads. */
export interface Download {
  name: string;
  /** Media type. */
  type: string;
  content: Buffer | string;
}

const MAX_NAME_LENGTH = 150;
/** Characters with a special meaning in file systems or shells. */
const UNSAFE_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** Creates a response that browsers save under the name of the file. */
export function toStreamableFile({ name, type, content }: Download): StreamableFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return new StreamableFile(bytes, { type, disposition: contentDisposition(name), length: bytes.length });
}

/**
 * Builds Content-Disposition for a name with any characters (RFC 6266): the encoded name, and an ASCII fallback for
 * old clients.
 */
export function contentDisposition(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_')
    .replace(/["\\%]/g, '_');
  const short = `attachment; filename="${plain}"`;
  return plain === name ? short : `${short}; filename*=UTF-8''${encodeExtendedValue(name)}`;
}

/** Converts a name to a safe file name: no path, no control characters, not hidden, and not too long. */
export function toFileName(wanted: string, otherwise: string): string {
  const clean = trimText(wanted.replace(UNSAFE_CHARACTERS, '-'), /[.\s-]/);
  return [...clean].slice(0, MAX_NAME_LENGTH).join('') || otherwise;
}

/** Encodes as in RFC 8187; replaces characters that cannot be encoded. */
function encodeExtendedValue(name: string): string {
  const sound = name.replace(/\p{Cs}/gu, '\ufffd');
  return encodeURIComponent(sound).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
