import { ClusterError } from './cluster-error.js';

type Bytes = Uint8Array<ArrayBuffer>;

const LINE_END = 10;

/**
 * Splits chunks of text into lines.
 * @param cuts of a stream that people read: a longer line comes in pieces, and the last line also without its end; otherwise a longer
 * line is an error, and an unterminated last one is dropped
 */
export async function* splitLines(
  pieces: AsyncIterable<Buffer>,
  maxBytes: number,
  cuts = false,
): AsyncGenerator<Bytes> {
  let [begun, size]: [Buffer[], number] = [[], 0];
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, from)) {
      const line = Buffer.concat([...begun, piece.subarray(from, end)]);
      [begun, size, from] = [[], 0, end + 1];
      if (line.length > 0) yield* cuts ? piecesOf(line, maxBytes) : [new Uint8Array(line)];
    }
    if (from < piece.length) begun.push(piece.subarray(from));
    size += piece.length - from;
    if (size <= maxBytes) continue;
    if (!cuts) throw new ClusterError('tooLarge', `The cluster's response has a line of more than ${maxBytes} bytes`);
    yield* piecesOf(Buffer.concat(begun), maxBytes);
    [begun, size] = [[], 0];
  }
  if (cuts && size > 0) yield* piecesOf(Buffer.concat(begun), maxBytes);
}

function* piecesOf(line: Buffer, maxBytes: number): Generator<Bytes> {
  for (let at = 0; at < line.length; at += maxBytes) yield new Uint8Array(line.subarray(at, at + maxBytes));
}
