import { isUtf8 } from 'node:buffer';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { type SourceFile } from '../sources/source-file.js';
import { describeForeignContent } from './foreign-content.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
// eslint-disable-next-line no-control-regex -- text must not contain these
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/**
 * The text of a file, without its byte order mark and with `\n` at each line end. UTF-8, or UTF-16 with its mark.
 * Throws InvalidRequest for bytes that are not text, located.
 */
export function decodeText(file: SourceFile, limit: number): string {
  if (file.bytes.length > limit) {
    throw textError(file, {
      detail: `holds ${file.bytes.length} bytes, more than the ${limit} that one file may have`,
      remedy: 'Split the file.',
    });
  }
  const foreign = describeForeignContent(file.bytes);
  if (foreign) throw textError(file, { line: 1, column: 1, ...foreign });
  const text = decode(file);
  const control = CONTROL_CHARACTER.exec(text);
  if (control) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    const before = text.slice(0, control.index).split('\n');
    throw textError(file, {
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
      detail: `the control character U+${code} is not text`,
      remedy: 'Remove it, or write it as an escape in a quoted string.',
    });
  }
  return text;
}

function decode(file: SourceFile): string {
  const [first, second] = file.bytes;
  const wide =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  if (!wide) {
    if (isUtf8(file.bytes)) return decodeLines(file.bytes);
    throw textError(file, findBadByte(file.bytes));
  }
  try {
    return decodeLines(Buffer.from(new TextDecoder(wide, { fatal: true }).decode(file.bytes)));
  } catch (cause) {
    throw textError(file, { detail: 'is marked as UTF-16 but is not', remedy: 'Save the file as UTF-8.' }, cause);
  }
}

/** UTF-8 text with `\n` at each line end. Replaced in the bytes: ten million matches in a text would be ten million strings. */
function decodeLines(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8');
  const first = bytes.indexOf(CARRIAGE_RETURN);
  if (first < 0) return decoder.decode(bytes);
  const lines = Uint8Array.from(bytes);
  let length = first;
  for (let at = first; at < bytes.length; at += 1) {
    const isReturn = bytes[at] === CARRIAGE_RETURN;
    lines[length++] = isReturn ? NEWLINE : (bytes[at] ?? 0);
    if (isReturn && bytes[at + 1] === NEWLINE) at += 1;
  }
  return decoder.decode(lines.subarray(0, length));
}

function findBadByte(bytes: Uint8Array): Fault {
  let line = 1;
  for (let start = 0; ; line += 1) {
    const end = bytes.indexOf(NEWLINE, start);
    const row = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (!isUtf8(row)) {
      const column = new TextDecoder('utf-8').decode(row).indexOf('\ufffd') + 1;
      return { line, column, detail: 'these bytes are not UTF-8', remedy: 'Save the file as UTF-8.' };
    }
    start = end + 1;
  }
}

function textError(file: SourceFile, fault: Fault, cause?: unknown): InvalidRequest {
  const place = fault.line === undefined ? '' : `line ${fault.line}, column ${fault.column}: `;
  return new InvalidRequest(`${file.path}: ${place}${fault.detail}`, {
    errors: [{ file: file.path, ...fault }],
    remedy: fault.remedy,
    cause,
  });
}
