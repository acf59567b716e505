/** The type `text` in PostgreSQL. */
const TEXT = 25;
const HEADER_BYTES = 20;

/**
 * Encodes texts as the value of a parameter `text[]` in the binary format, which neither side has to escape or parse.
 * Bytes are those of a text in UTF-8.
 */
export function encodeTextArray(values: readonly (string | Uint8Array | null)[]): Buffer {
  const sizes = values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : (value?.length ?? 0)));
  const encoded = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + size, HEADER_BYTES));
  // One dimension, which may have nulls and begins at 1.
  let at = [1, 1, TEXT, values.length, 1].reduce((offset, part) => encoded.writeInt32BE(part, offset), 0);
  for (const [index, value] of values.entries()) {
    const size = sizes[index] ?? 0;
    at = encoded.writeInt32BE(value === null ? -1 : size, at);
    if (typeof value === 'string') encoded.write(value, at);
    else if (value !== null) encoded.set(value, at);
    at += size;
  }
  return encoded;
}
